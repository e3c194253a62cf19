#!/bin/sh
# Compiles the CUDA sources beside this script to the PTX texts that the tests parse. Needs nvcc 13.0 on PATH.
# Paths in them are made independent of the machine.
set -eu
cd "$(dirname "$0")"
for source in *.cu; do
    case $source in collectives.cu) options=-lineinfo ;; *) options= ;; esac
    text=${source%.cu}.ptx
    nvcc -arch=sm_90 $options -ptx "$source" -o "$text"
    sed -i -e 's#"/[^"]*/include/#"/usr/local/cuda/include/#' -e "s#\"/[^\"]*/$source\"#\"$source\"#" "$text"
done
