#!/bin/sh
# Compiles the CUDA sources beside this script to the PTX texts that the tests run. Needs nvcc 13.0 on PATH.
set -eu
cd "$(dirname "$0")"
for source in *.cu; do
    nvcc -arch=sm_90 -ptx "$source" -o "${source%.cu}.ptx"
done
