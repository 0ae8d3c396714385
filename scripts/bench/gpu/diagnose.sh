#!/usr/bin/env bash
# Prints what decides whether programs can use this machine's GPU: driver, devices, libraries and Python's packages. Each part has a time limit.
export PATH=$PATH:/usr/sbin:/sbin:/usr/local/nvidia/bin

# Nothing is ever written to it: `read` waits on it, also where there is no `sleep`.
exec 3<> <(:)
program=
trap 'if [ -n "$program" ]; then kill -KILL "$program"; fi 2>/dev/null; exit 143' TERM

# Not `timeout`: it waits for what it killed, and a program that a driver holds does not end.
part() { # most seconds, command
  local limit=$1 tenths=$(($1 * 10))
  shift
  printf '\n== %s\n' "${*%%$'\n'*}"
  if ! command -v "$1" >/dev/null; then
    echo "$1 is not installed"
    return
  fi
  "$@" 2>&1 </dev/null 3>&- &
  program=$!
  while kill -0 "$program" 2>/dev/null && ((tenths-- > 0)); do read -rt 0.1 -u 3; done
  if kill -KILL "$program" 2>/dev/null; then
    disown "$program"
    echo "did not end in $limit s"
  else wait "$program" || echo "status $?"; fi
  program=
}

# Values may be secrets, but these decide what a container gets of the driver.
settings() {
  local name
  for name in $(compgen -e); do
    case $name in
      NVIDIA_DRIVER_CAPABILITIES | NVIDIA_VISIBLE_DEVICES | CUDA_VISIBLE_DEVICES | VK_* | LD_LIBRARY_PATH) echo "$name=${!name}" ;;
      *NVIDIA* | *CUDA* | *VK*) echo "$name" ;;
    esac
  done
}
driver_files() {
  local file
  for file in {/etc,/usr/share,/usr/local/share,/usr/local/nvidia/share,$HOME/.local/share}/vulkan/icd.d/*.json {/etc,/usr/share}/glvnd/egl_vendor.d/*.json; do
    if [ -e "$file" ]; then echo "$file: $(tr '\n' ' ' <"$file")"; fi
  done
}
files() {
  local file
  for file in /proc/driver/nvidia/version /sys/fs/cgroup/memory.max /sys/fs/cgroup/cpu.max; do
    if [ -r "$file" ]; then echo "$file: $(tr '\n' ' ' <"$file")"; fi
  done
  grep -E '^(MemTotal|MemAvailable)' /proc/meminfo
  grep -m1 'model name' /proc/cpuinfo
}
packages='
import platform, sys
from importlib import metadata
print(sys.executable, sys.version.split()[0], platform.platform())
names = "torch transformers trl peft triton accelerate datasets huggingface-hub pandas pyarrow numpy"
for name in names.split():
    try: print(name, metadata.version(name))
    except metadata.PackageNotFoundError: print(name, "is not installed")'

part 20 nvidia-smi -q
part 5 ls -l /dev/dri
printf '\n== devices of NVIDIA\n'; ls -l /dev/nvidia* 2>&1
part 10 bash -c 'ldconfig -p 2>&1 | grep -iE "nvidia|vulkan|EGL|cuda|not found"'
printf '\n== driver files\n'; driver_files 2>&1
printf '\n== environment\n'; settings
printf '\n== machine\n'; files 2>&1
part 5 uname -a
part 5 getconf GNU_LIBC_VERSION
part 5 nproc
part 5 df -h "${TMPDIR:-/tmp}" .
part 20 python3 -c "$packages"
