/**
 * `npx node scripts/test/olderCpu.ts avx512|avx2 COMMAND…` runs a command as on an x64 CPU without VNNI, or without AVX-512 too: ONNX Runtime
 * takes the kernels of such a CPU, at their own speed, in every process of the command. On Linux, with `cc` and `objdump`.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuidOffsets, isLevel, withoutFlags } from './olderCpu/olderCpu.ts'

const LIBRARY = 'libonnxruntime.so.1'
const root = join(import.meta.dirname, '../..')
const original = join(root, 'node_modules/onnxruntime-node/bin/napi-v6/linux/x64', LIBRARY)

const [level = '', ...command] = process.argv.slice(2)
const [program, ...argv] = command
if (!isLevel(level) || program === undefined)
  throw new Error('usage: npx node scripts/test/olderCpu.ts avx512|avx2 COMMAND…')
const folder = mkdtempSync(join(tmpdir(), 'waggle-older-cpu-'))
try {
  const preload = join(folder, 'olderCpu.so')
  const flags = join(folder, 'cpuinfo')
  execFileSync('cc', [
    '-O1',
    '-shared',
    '-fPIC',
    '-o',
    preload,
    join(import.meta.dirname, 'olderCpu/olderCpu.c'),
    '-ldl',
  ])
  writeFileSync(flags, withoutFlags(readFileSync('/proc/cpuinfo', 'utf8'), level))
  writeFileSync(join(folder, LIBRARY), withTraps(original))
  const env = {
    ...{ ...process.env, OLDER_CPU: level, OLDER_CPU_INFO: flags },
    ...{ LD_PRELOAD: preload, LD_LIBRARY_PATH: folder },
  }
  process.exitCode = spawnSync(program, argv, { env, stdio: 'inherit' }).status ?? 1
} finally {
  rmSync(folder, { recursive: true })
}

/** The library with `ud2` (0f 0b) instead of each `cpuid` (0f a2). */
function withTraps(path: string): Buffer {
  const options = { encoding: 'utf8', maxBuffer: 2 ** 32 } as const
  const listing = execFileSync('sh', ['-c', 'objdump -d -j .text "$0" | grep cpuid', path], options)
  const sections = execFileSync('objdump', ['-h', '-j', '.text', path], options)
  const bytes = readFileSync(path)
  for (const at of cpuidOffsets(listing, sections)) {
    if (bytes.readUInt16BE(at) !== 0x0fa2) throw new Error(`no cpuid at ${at} of ${path}`)
    bytes.writeUInt16BE(0x0f0b, at)
  }
  return bytes
}
