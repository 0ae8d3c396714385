import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

type Gpu = { readonly name: string; readonly memoryBytes: number | null }

export type Machine = {
  readonly platform: string
  readonly cpu: string
  /** Cores that this process may use. */
  readonly cores: number
  /** Instruction sets that ONNX Runtime's kernels use; empty if the system does not report them. */
  readonly instructionSets: readonly string[]
  /** Memory that this process may use: a container has its own limit. */
  readonly memoryBytes: number
  readonly gpus: readonly Gpu[]
}

const knownSets = [
  'avx',
  'avx2',
  'fma',
  'f16c',
  'avx512f',
  'avx512_vnni',
  'avx_vnni',
  'avx512_bf16',
  'amx_int8',
  'amx_bf16',
  'asimd',
  'asimddp',
  'i8mm',
  'bf16',
  'sve',
]

/** Describes the machine's processors, memory and GPUs. Starts no process but NVIDIA's own tool, if it is installed. */
export async function describeMachine(): Promise<Machine> {
  const flags = process.platform === 'darwin' ? await readSysctl() : await readCpuinfo()
  return {
    platform: `${process.platform}-${process.arch}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    instructionSets: knownSets.filter(name => flags.has(name)),
    memoryBytes: usableMemory(totalmem(), process.constrainedMemory()),
    gpus: [...(await nvidiaGpus()), ...(await kernelGpus())],
  }
}

async function readCpuinfo(): Promise<ReadonlySet<string>> {
  const info = await readFile('/proc/cpuinfo', 'utf8').catch(() => '')
  return new Set((/^(?:flags|Features)\s*:\s*(.*)$/m.exec(info)?.[1] ?? '').split(/\s+/))
}

/** @see https://developer.apple.com/documentation/kernel/1387446-sysctlbyname/determining_instruction_set_characteristics */
async function readSysctl(): Promise<ReadonlySet<string>> {
  const { stdout } = await promisify(execFile)('sysctl', ['hw.optional']).catch(() => ({ stdout: '' }))
  return setsOfSysctl(stdout)
}

/** Instruction sets that macOS and Linux name differently. */
const appleSets: Readonly<Record<string, string>> = {
  'arm.AdvSIMD': 'asimd',
  'arm.FEAT_DotProd': 'asimddp',
  'arm.FEAT_I8MM': 'i8mm',
  'arm.FEAT_BF16': 'bf16',
}

/** Parses the output of `sysctl hw.optional` into instruction sets, by Linux' names. */
export function setsOfSysctl(text: string): ReadonlySet<string> {
  const present = [...text.matchAll(/^hw\.optional\.(\S+): 1$/gm)].map(([, name = '']) => appleSets[name])
  return new Set(present.filter(name => name !== undefined))
}

/** @param limit - of the control group, as Node reports it: 0, or more than the machine has, if there is no limit. */
export function usableMemory(total: number, limit: number): number {
  return limit > 0 ? Math.min(total, limit) : total
}

/** It ends with an error for one lost card of several, and has listed the others then. */
async function nvidiaGpus(): Promise<Gpu[]> {
  const argv = ['--query-gpu=name,memory.total', '--format=csv,noheader,nounits']
  const failed = ({ stdout = '' }: { stdout?: string }) => ({ stdout })
  const { stdout } = await promisify(execFile)('nvidia-smi', argv, { timeout: 10_000 }).catch(failed)
  return gpusOfSmi(stdout)
}

/**
 * Parses what `nvidia-smi` prints. It prints its errors there too.
 *
 * @see nvidia-smi --help-query-gpu
 */
export function gpusOfSmi(text: string): Gpu[] {
  const lines = [...text.matchAll(/^(.+), (\d+|\[.+\])\s*$/gm)]
  return lines.map(([, name = '', mebibytes]) => ({ name, memoryBytes: Number(mebibytes) * 2 ** 20 || null }))
}

const VENDORS: Readonly<Record<string, string>> = { '0x1002': 'AMD GPU', '0x8086': 'Intel GPU' }

/** GPUs of AMD and Intel, as Linux lists them. */
async function kernelGpus(): Promise<Gpu[]> {
  const root = '/sys/class/drm'
  const cards = (await readdir(root).catch(() => [])).filter(name => /^card\d+$/.test(name))
  const found = await Promise.all(
    cards.map(async card => {
      const read = (name: string) =>
        readFile(join(root, card, 'device', name), 'utf8').then(
          text => text.trim(),
          () => '',
        )
      const name = VENDORS[await read('vendor')]
      return name === undefined ? [] : [{ name, memoryBytes: Number(await read('mem_info_vram_total')) || null }]
    }),
  )
  return found.flat()
}
