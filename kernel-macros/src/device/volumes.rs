
// Volumes: slices with three dimensions.

fn fits_volume(len: usize, shape: [usize; 3]) -> bool {
    if shape[0] == 0 || shape[1] == 0 || shape[2] == 0 {
        return true;
    }
    if (shape[0] | shape[1] | shape[2]) >> 32 != 0 {
        return false;
    }
    // No product wraps: a plane has less than 2⁶⁴ elements, and no more planes than fit are counted.
    let plane = shape[1] * shape[2];
    shape[0] <= len / plane && (shape[0] * plane) >> 32 == 0
}

// The index of an element in the shape of a volume that fits: below 2³², as the number of elements is.
//
// SAFETY: callers know that the element is in the shape.
unsafe fn place_in_volume(at: [usize; 3], rows: usize, columns: usize) -> usize {
    // SAFETY: the rows are those of a matrix, the planes those of one of rows; no number in it is more than the index.
    unsafe {
        let row = place_in_matrix([at[0], at[1]], rows);
        place_in_matrix([row, at[2]], columns)
    }
}

#[derive(Clone, Copy)]
pub struct Volume<'a, T> {
    // Invariant: `fits_volume` holds for the length and the shape.
    elements: &'a [T],
    depth: usize,
    rows: usize,
    columns: usize,
}

impl<'a, T> Volume<'a, T> {
    pub fn new(elements: &'a [T], shape: [usize; 3]) -> Volume<'a, T> {
        let len = elements.len();
        assert!(
            fits_volume(len, shape),
            "expected a slice with a volume of {} × {} × {} elements, found {} elements",
            shape[0], shape[1], shape[2], len
        );
        Self { elements, depth: shape[0], rows: shape[1], columns: shape[2] }
    }

    // A parameter of a kernel: the launch has checked that it fits.
    pub fn of_parameter(elements: &'a [T], depth: u32, rows: u32, columns: u32) -> Volume<'a, T> {
        Self { elements, depth: depth as usize, rows: rows as usize, columns: columns as usize }
    }

    pub fn depth(&self) -> usize {
        self.depth
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn at(&self, plane: usize, row: usize, column: usize) -> T {
        self[[plane, row, column]]
    }

    // It has no map: that of a volume's elements would not end at the plane.
    pub fn plane(&self, plane: usize) -> Matrix<'_, T> {
        assert!(plane < self.depth, "plane out of bounds: the volume has {} planes but the plane is {}", self.depth, plane);
        // SAFETY: by the invariant of the volume every plane is in the slice.
        let elements = unsafe {
            let start = place_in_volume([plane, 0, 0], self.rows, self.columns);
            slice::from_raw_parts(self.elements.as_ptr().add(start), self.rows * self.columns)
        };
        Matrix {
            elements,
            rows: self.rows,
            columns: self.columns,
            stride: self.columns,
            map: 0,
            is_global: is_global(elements.as_ptr()),
        }
    }
}

impl<'a, T> Index<[usize; 3]> for Volume<'a, T> {
    type Output = T;

    fn index(&self, at: [usize; 3]) -> &T {
        assert!(at[0] < self.depth, "plane out of bounds: the volume has {} planes but the plane is {}", self.depth, at[0]);
        assert!(at[1] < self.rows, "row out of bounds: the volume has {} rows but the row is {}", self.rows, at[1]);
        assert!(at[2] < self.columns, "column out of bounds: the volume has {} columns but the column is {}", self.columns, at[2]);
        // SAFETY: by the invariant of the volume every element in its shape is in the slice.
        unsafe { self.elements.get_unchecked(place_in_volume(at, self.rows, self.columns)) }
    }
}

pub struct VolumeMut<'a, T> {
    // Invariant: `fits_volume` holds for the length and the shape.
    elements: &'a mut [T],
    depth: usize,
    rows: usize,
    columns: usize,
}

impl<'a, T> VolumeMut<'a, T> {
    pub fn new(elements: &'a mut [T], shape: [usize; 3]) -> VolumeMut<'a, T> {
        let len = elements.len();
        assert!(
            fits_volume(len, shape),
            "expected a slice with a volume of {} × {} × {} elements, found {} elements",
            shape[0], shape[1], shape[2], len
        );
        Self { elements, depth: shape[0], rows: shape[1], columns: shape[2] }
    }

    // A parameter of a kernel: the launch has checked that it fits.
    pub fn of_parameter(elements: &'a mut [T], depth: u32, rows: u32, columns: u32) -> VolumeMut<'a, T> {
        Self { elements, depth: depth as usize, rows: rows as usize, columns: columns as usize }
    }

    pub fn depth(&self) -> usize {
        self.depth
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn at(&self, plane: usize, row: usize, column: usize) -> T {
        self[[plane, row, column]]
    }

    // It has no map: that of a volume's elements would not end at the plane.
    pub fn plane(&self, plane: usize) -> Matrix<'_, T> {
        assert!(plane < self.depth, "plane out of bounds: the volume has {} planes but the plane is {}", self.depth, plane);
        // SAFETY: by the invariant of the volume every plane is in the slice.
        let elements = unsafe {
            let start = place_in_volume([plane, 0, 0], self.rows, self.columns);
            slice::from_raw_parts(self.elements.as_ptr().add(start), self.rows * self.columns)
        };
        Matrix {
            elements,
            rows: self.rows,
            columns: self.columns,
            stride: self.columns,
            map: 0,
            is_global: is_global(elements.as_ptr()),
        }
    }

    pub fn plane_mut(&mut self, plane: usize) -> MatrixMut<'_, T> {
        assert!(plane < self.depth, "plane out of bounds: the volume has {} planes but the plane is {}", self.depth, plane);
        let start = plane * self.rows * self.columns;
        let end = start + self.rows * self.columns;
        MatrixMut::<T>::new(&mut self.elements[start..end], [self.rows, self.columns])
    }
}

impl<'a, T> Index<[usize; 3]> for VolumeMut<'a, T> {
    type Output = T;

    fn index(&self, at: [usize; 3]) -> &T {
        assert!(at[0] < self.depth, "plane out of bounds: the volume has {} planes but the plane is {}", self.depth, at[0]);
        assert!(at[1] < self.rows, "row out of bounds: the volume has {} rows but the row is {}", self.rows, at[1]);
        assert!(at[2] < self.columns, "column out of bounds: the volume has {} columns but the column is {}", self.columns, at[2]);
        // SAFETY: by the invariant of the volume every element in its shape is in the slice.
        unsafe { self.elements.get_unchecked(place_in_volume(at, self.rows, self.columns)) }
    }
}

impl<'a, T> IndexMut<[usize; 3]> for VolumeMut<'a, T> {
    fn index_mut(&mut self, at: [usize; 3]) -> &mut T {
        assert!(at[0] < self.depth, "plane out of bounds: the volume has {} planes but the plane is {}", self.depth, at[0]);
        assert!(at[1] < self.rows, "row out of bounds: the volume has {} rows but the row is {}", self.rows, at[1]);
        assert!(at[2] < self.columns, "column out of bounds: the volume has {} columns but the column is {}", self.columns, at[2]);
        // SAFETY: by the invariant of the volume every element in its shape is in the slice.
        unsafe { self.elements.get_unchecked_mut(place_in_volume(at, self.rows, self.columns)) }
    }
}
