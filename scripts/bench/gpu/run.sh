#!/usr/bin/env bash
# Unpacks the kit, checks it and measures this machine's GPU, in under ten minutes: writes gpu.json to $OUT, or to the current folder.
# Options go to the benchmark: --tiny tries the run itself. Python, if there is one with torch, is the comparison.
set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$PWD}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$here" && sha256sum --check --quiet SHA256SUMS)
unpack() { # archive, folder: xz may be missing where Python is not
  mkdir -p "$2"
  if command -v xz >/dev/null; then tar -xJf "$1" -C "$2"
  else python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$1" "$2"; fi
}
unpack "$here/code.tar.xz" "$work"
unpack "$here/runtime.tar.xz" "$work/unpacked"
binaries=$work/code/node_modules/onnxruntime-node/bin/napi-v6/linux/x64
mkdir -p "$binaries"
mv "$work"/unpacked/*/node "$work/node"
mv "$work"/unpacked/*/* "$binaries"

if ! ldconfig -p | grep -q libvulkan.so.1 && ls "$work"/vulkan/*.deb >/dev/null 2>&1; then
  dpkg -x "$work"/vulkan/*.deb "$work/vulkan"
  export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$work/vulkan/usr/lib/x86_64-linux-gnu
fi
for icd in /usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json; do
  if [ -e "$icd" ] && [ -z "${VK_ICD_FILENAMES:-}${VK_DRIVER_FILES:-}" ]; then export VK_DRIVER_FILES=$icd; fi
done

mkdir -p "$work/site"
for wheel in "$work"/wheels/*.whl; do
  if [ -e "$wheel" ] && command -v python3 >/dev/null; then python3 -m zipfile -e "$wheel" "$work/site"; fi
done
export PYTHONPATH=$work/site${PYTHONPATH:+:$PYTHONPATH} HF_HUB_OFFLINE=1

cd "$work/code"
code=0
"$work/node" scripts/bench.ts gpu --json "$@" >"$work/printed" || code=$?
tail -n 1 "$work/printed" >"$out/gpu.json"
echo "wrote $out/gpu.json" >&2
[ "$code" -le 1 ] # a row that misses its bar is a result
