#!/usr/bin/env bash
# Unpacks the kit, checks it and measures this machine's GPU, in under ten minutes: writes to $OUT, or to the current folder.
# gpu.json is whole at any time: rows without a value say why. gpu.diagnosis.txt says what the machine has, gpu.answers.jsonl has each answer. Options go to the benchmark: --tiny tries the run itself. Python, if there is one
# with torch, is the comparison. Exit status: 0 if the rows were measured, otherwise what was wrong is said.
set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin:/usr/local/nvidia/bin
# The kit's Node has no modules but its own.
unset NODE_OPTIONS NODE_PATH
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${OUT:-.}"
json=$(cd "${OUT:-.}" && pwd)/gpu.json
diagnosis=${json%.json}.diagnosis.txt

refuse() {
  echo "$1" >&2
  exit 2
}
explain() { # reason why no row has a value, as JSON takes it
  local reason
  reason=$(printf %s "$1" | tr -d '"\\|&' | tr '[:cntrl:]' ' ')
  sed "s|REASON|$reason|g" "$here/unmeasured.json" >"$json.part" && mv "$json.part" "$json"
}
# Not `wait`: a driver that hangs may hold the diagnosis for good. What it has printed by then stays. `read` waits: a machine may have no `sleep`.
end_diagnosis() {
  local tenths=100
  exec 3<> <(:)
  while kill -0 "$diagnosing" 2>/dev/null && ((tenths-- > 0)); do read -rt 0.1 -u 3 || true; done
}
fail() {
  explain "$1" || rm -f "$json.part"
  end_diagnosis
  refuse "$1; wrote $json"
}

(cd "$here" && grep -E 'unmeasured.json|diagnose' SHA256SUMS | sha256sum --check --quiet) >/dev/null 2>&1 ||
  refuse "$here is not whole, copy it again: SHA256SUMS, unmeasured.json or diagnose is missing or damaged"
explain 'the run ended before this row was measured' || refuse "cannot write $json: name another folder by OUT"
# Meanwhile: a driver that hangs takes no time of the measurement.
bash "$here/diagnose" >"$diagnosis" 2>&1 &
diagnosing=$!
work=$(mktemp -d) || fail "cannot make a folder in ${TMPDIR:-/tmp}: name another by TMPDIR"
bench=
clear_up() {
  # The benchmark is a group of its own, with all that it started.
  kill "$diagnosing" 2>/dev/null || true
  if [ -n "$bench" ]; then { kill -KILL -- "-$bench" && wait "$bench"; } 2>/dev/null || true; fi
  rm -rf "$work"
}
trap clear_up EXIT
trap 'echo "interrupted; $json has the rows until then" >&2; exit 130' INT TERM HUP

changed=$(cd "$here" && sha256sum --check --quiet SHA256SUMS 2>&1) || fail "the kit is damaged, copy it again: ${changed%%$'\n'*}"

# The machine may have no xz, and the kit's folder may not allow programs.
cp -r "$here/xz" "$work/xz" || fail "cannot write to $work: name another folder by TMPDIR"
decompress() {
  if command -v xz >/dev/null; then xz -dcf "$1"
  elif LD_LIBRARY_PATH=$work/xz "$work/xz/xz" --version >/dev/null; then LD_LIBRARY_PATH=$work/xz "$work/xz/xz" -dcf "$1"
  elif command -v python3 >/dev/null; then python3 -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer)' "$1"
  else echo 'install xz or python3' >&2; return 1; fi
}
unpack() { # archive, folder
  mkdir -p "$2"
  decompress "$1" | tar --no-same-owner -xf - -C "$2"
}
for archive in code runtime; do
  printed=$(unpack "$here/$archive.tar.xz" "$work/$archive" 2>&1) || {
    case $printed in *'No space left'*) printed='no space left' ;; esac
    fail "cannot unpack $archive.tar.xz into $work: ${printed%%$'\n'*}; the run takes 0.3 GB there, and 2 GB for the model's weights"
  }
done
code=$work/code/code
binaries=$code/node_modules/onnxruntime-node/bin/napi-v6/linux/x64
mkdir -p "$binaries"
mv "$work"/runtime/*/node "$work/node"
mv "$work"/runtime/*/* "$binaries"
printed=$("$work/node" --version 2>&1) ||
  fail "cannot run the kit's Node in $work: ${printed%%$'\n'*}; it is for x86-64 with glibc, in a folder from which programs may run (TMPDIR)"

# Libraries that Vulkan and NVIDIA's driver link to, where the machine has none of the name.
libraries=$work/libraries
mkdir -p "$libraries" "$work/temporary" "$work/drivers"
known=$(ldconfig -p 2>/dev/null || true)
for library in "$work"/code/vulkan/usr/lib/x86_64-linux-gnu/*.so.*; do
  case $known in *"${library##*/} (libc6,x86-64"*) ;; *) if [ -e "$library" ]; then mv "$library" "$libraries"; fi ;; esac
done
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$libraries:/usr/local/nvidia/lib64

export HF_HUB_OFFLINE=1 TMPDIR=$work/temporary

cd "$code"
drivers=$("$work/node" scripts/bench/gpu/vulkanDriver.ts "$work/drivers") || drivers=
case $drivers in
  '') ;; # what is set is right
  unset) unset VK_DRIVER_FILES VK_ICD_FILENAMES ;;
  *) export VK_DRIVER_FILES=$drivers VK_ICD_FILENAMES=$drivers ;;
esac
set -m
"$work/node" scripts/bench.ts gpu --json --out "$json" --elapsed "$SECONDS" "$@" &
bench=$!
status=0
wait "$bench" || status=$?
bench=
end_diagnosis
case $status in
  0 | 3) echo "wrote $json" >&2 ;; # a row that misses its bar is a result
  *) refuse "the benchmark ended with status $status; $json has the rows until then" ;;
esac
