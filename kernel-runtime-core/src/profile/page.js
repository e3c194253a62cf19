for (const row of document.querySelectorAll(".code tr.has")) {
  row.addEventListener("click", () => { row.nextElementSibling.hidden = !row.nextElementSibling.hidden; });
}
