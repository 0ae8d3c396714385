// Answers cpuid as an older CPU does, where a library has `ud2` in its place, and shows the older CPU's flags. See ../olderCpu.ts.
#define _GNU_SOURCE
#include <cpuid.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

// Bits of leaf 7: AVX-512 Vector Neural Network Instructions, Advanced Matrix Extensions, all of AVX-512.
static const unsigned VNNI_ECX = 1u << 11, AMX_EDX = 1u << 22 | 1u << 24 | 1u << 25;
static const unsigned AVX512_EBX = 1u << 16 | 1u << 17 | 1u << 21 | 1u << 26 | 1u << 27 | 1u << 28 | 1u << 30 | 1u << 31;
static const unsigned AVX512_ECX = 1u << 1 | 1u << 6 | 1u << 12 | 1u << 14;
static const unsigned AVX512_EDX = 1u << 2 | 1u << 3 | 1u << 8 | 1u << 23;

static int has_avx512;
static struct sigaction previous;

static void on_illegal(int signal, siginfo_t *info, void *context) {
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  const unsigned char *at = (const unsigned char *)registers[REG_RIP];
  if (at[0] != 0x0f || at[1] != 0x0b) {
    // Another fault: it is met again, by whoever handled it before.
    sigaction(SIGILL, &previous, 0);
    return;
  }
  unsigned leaf = registers[REG_RAX], part = registers[REG_RCX], eax, ebx, ecx, edx;
  __cpuid_count(leaf, part, eax, ebx, ecx, edx);
  if (leaf == 7 && part == 0) {
    ecx &= ~VNNI_ECX;
    edx &= ~AMX_EDX;
    if (!has_avx512) {
      ebx &= ~AVX512_EBX;
      ecx &= ~AVX512_ECX;
      edx &= ~AVX512_EDX;
    }
  }
  // AVX-VNNI, and what came after it.
  if (leaf == 7 && part == 1) eax = edx = 0;
  registers[REG_RAX] = eax;
  registers[REG_RBX] = ebx;
  registers[REG_RCX] = ecx;
  registers[REG_RDX] = edx;
  registers[REG_RIP] += 2;
}

__attribute__((constructor)) static void begin(void) {
  const char *level = getenv("OLDER_CPU");
  has_avx512 = level != NULL && strcmp(level, "avx512") == 0;
  struct sigaction action = {0};
  action.sa_sigaction = on_illegal;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigaction(SIGILL, &action, &previous);
}

static const char *shown(const char *path) {
  const char *flags = getenv("OLDER_CPU_INFO");
  return flags != NULL && path != NULL && strcmp(path, "/proc/cpuinfo") == 0 ? flags : path;
}

#define OPEN(name)                                                                                                     \
  int name(const char *path, int flags, ...) {                                                                         \
    int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, #name);                                                     \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    int mode = va_arg(rest, int);                                                                                      \
    va_end(rest);                                                                                                      \
    return next(shown(path), flags, mode);                                                                             \
  }
OPEN(open)
OPEN(open64)

#define FOPEN(name)                                                                                                    \
  FILE *name(const char *path, const char *mode) {                                                                     \
    FILE *(*next)(const char *, const char *) = dlsym(RTLD_NEXT, #name);                                               \
    return next(shown(path), mode);                                                                                    \
  }
FOPEN(fopen)
FOPEN(fopen64)
