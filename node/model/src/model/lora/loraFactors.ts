import { randomStream, type Seed } from '#base/random.ts'
import { checkOptions, loraSchema } from '../checkOptions.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { decoderWeightShapes } from '../decoder/decoderWeights.ts'
import type { Weights } from '../decoder/weights.ts'
import { ModelInputError } from '../modelErrors.ts'
import { type LoraConfig, loraScaling } from './loraConfig.ts'

/** A low-rank adapter: for each module W, the product of two thin factors that is added to W. */
export interface LoraAdapter {
  readonly config: LoraConfig
  /** `<module>.lora_A.weight` [rank, in] and `<module>.lora_B.weight` [out, rank], in the order of the modules. */
  readonly factors: Weights
}

/**
 * Names and shapes of an adapter's factors.
 *
 * @throws {ModelInputError} if a target is not a linear module of the decoder's layers.
 */
export function loraShapes(config: DecoderConfig, lora: LoraConfig): Map<string, readonly number[]> {
  const shapes = new Map<string, readonly number[]>()
  const unmet = new Set(lora.targets)
  for (const [name, [out, inner]] of decoderWeightShapes(config)) {
    const module = name.replace(/\.weight$/, '')
    if (inner === undefined || !name.startsWith('model.layers.')) continue
    const target = lora.targets.find(t => module === t || module.endsWith(`.${t}`))
    if (target === undefined) continue
    unmet.delete(target)
    shapes.set(`${module}.lora_A.weight`, [lora.rank, inner])
    shapes.set(`${module}.lora_B.weight`, [out as number, lora.rank])
  }
  const [missing] = [...unmet].filter(t => !coveredBy(t, shapes))
  if (missing !== undefined)
    throw new ModelInputError(`the layers have no linear module named ${missing}`, {
      hint: `Name modules such as q_proj, v_proj or mlp.down_proj as the adapter's targets.`,
    })
  return shapes
}

/** PEFT's bounds, and a bound for the rank far above that of published adapters. */
function checkLora(lora: LoraConfig): void {
  checkOptions(loraSchema, lora, 'an adapter')
  const { rank, alpha, targets } = lora
  const isRank = Number.isInteger(rank) && rank >= 1 && rank <= 4_096
  if (isRank && Number.isFinite(alpha) && alpha > 0 && targets.length > 0) return
  throw new ModelInputError(`an adapter of rank ${rank}, alpha ${alpha} and ${targets.length} targets`, {
    hint: 'Give a rank from 1 to 4096, an alpha above 0, and at least one module.',
  })
}

/** Whether a target names a module that another target named first. */
const coveredBy = (target: string, shapes: ReadonlyMap<string, unknown>) =>
  [...shapes.keys()].some(name => `.${name}`.endsWith(`.${target}.lora_A.weight`))

/**
 * A fresh adapter, which changes nothing yet: A uniform in ±1 / sqrt(in), B zero, as PEFT's default.
 *
 * A factor depends on the seed and its own name only.
 *
 * @throws {ModelInputError} if a target is not a linear module of the decoder's layers, there are no targets, or rank or alpha is invalid.
 * @see LoRA, arXiv:2106.09685 section 4.1.
 */
export function initLora(config: DecoderConfig, lora: LoraConfig, seed: Seed): LoraAdapter {
  checkLora(lora)
  const factors: Weights = new Map()
  for (const [name, shape] of loraShapes(config, lora)) {
    const data = new Float32Array((shape[0] as number) * (shape[1] as number))
    if (name.endsWith('lora_A.weight')) {
      const bound = 1 / Math.sqrt(shape[1] as number)
      const stream = randomStream(`initial factor ${name}`, seed)
      for (let i = 0; i < data.length; i++) data[i] = bound * (2 * stream.uniform() - 1)
    }
    factors.set(name, { shape, data })
  }
  return { config: lora, factors }
}

/**
 * The weights with an adapter's updates added: W + scaling * B A, each element computed in float64 and rounded once.
 *
 * Weights without an update are the same arrays; the others are copies.
 */
export function mergeLora(weights: Weights, { config, factors }: LoraAdapter): Weights {
  const scaling = loraScaling(config)
  const merged: Weights = new Map()
  for (const [name, weight] of weights) {
    const module = name.replace(/\.weight$/, '')
    const [a, b] = [factors.get(`${module}.lora_A.weight`), factors.get(`${module}.lora_B.weight`)]
    if (!a || !b) {
      merged.set(name, weight)
      continue
    }
    const [out, inner] = weight.shape as [number, number]
    const data = new Float32Array(weight.data.length)
    const row = new Float64Array(inner)
    for (let o = 0; o < out; o++) {
      row.set(weight.data.subarray(o * inner, (o + 1) * inner))
      for (let r = 0; r < config.rank; r++) {
        const factor = scaling * (b.data[o * config.rank + r] as number)
        const from = r * inner
        for (let i = 0; i < inner; i++) row[i] = (row[i] as number) + factor * (a.data[from + i] as number)
      }
      data.set(row, o * inner)
    }
    merged.set(name, { shape: weight.shape, data })
  }
  return merged
}
