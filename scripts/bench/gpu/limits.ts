import type { Device } from '../../../node/model/src/engine/devices/device.ts'
import type { Bench } from '../../measure/bench.ts'
import { type Asked, ours, stepProductsOf, torch } from './answers.ts'

export const bandwidth: Asked = { what: 'bandwidth' }
export const peak: Asked = { what: 'peak' }

interface Rate {
  readonly perSec: number
}

/** NVIDIA's own figures of a card: bytes a second, and operations a second without sparsity. */
interface Published {
  readonly bandwidth: number
  readonly float16: number
  readonly float32: number
}

/** @see https://www.nvidia.com/en-us/data-center/h200/ and h100 (SXM) */
const PUBLISHED: readonly (readonly [RegExp, Published])[] = [
  [/\bH200\b/, { bandwidth: 4.8e12, float16: 989e12, float32: 67e12 }],
  [/\bH100 80GB HBM3\b/, { bandwidth: 3.35e12, float16: 989e12, float32: 67e12 }],
]

/**
 * The GPU's limit, for products in the type of a step's: the larger of the rates of Waggle's own products and of torch's. Without torch it is NVIDIA's figure: a share of its own speed
 * would say nothing.
 *
 * @param adapter - the GPU's name.
 * @returns why it is not known, if there is neither.
 */
export async function limitOf(
  bench: Bench,
  gpu: Device,
  asked: typeof bandwidth,
  adapter: string,
): Promise<(Rate & { readonly by: string }) | string> {
  const own = await ours<Rate>(bench, gpu, asked).catch(error => (error as Error).message)
  const dtype = await stepProductsOf(bench, gpu)
  const theirs = await torchRate(bench, asked, dtype)
  if (typeof theirs !== 'string') {
    if (typeof own === 'string') return { ...theirs, by: `torch, ONNX Runtime's being unknown: ${own}` }
    return theirs.perSec < own.perSec ? { ...own, by: 'ONNX Runtime' } : { ...theirs, by: 'torch' }
  }
  const published = PUBLISHED.find(([name]) => name.test(adapter))?.[1]
  if (published === undefined) {
    const reason = typeof own === 'string' ? `: ${own}` : `'s own ${(own.perSec / 1e9).toFixed(0)} G/s is not a limit`
    return `ONNX Runtime${reason}; ${theirs}`
  }
  return {
    perSec: published[asked.what === 'bandwidth' ? 'bandwidth' : dtype],
    by: `NVIDIA's figures, since ${theirs}`,
  }
}

export const torchRate = (bench: Bench, asked: Asked, dtype: 'float32' | 'float16') =>
  torch<Rate>(bench, 'gpu/torchPeer.py', { what: asked.what, dtype })
