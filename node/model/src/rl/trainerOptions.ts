import type { Device } from '#engine/devices/device.ts'
import type { StepPrecision } from '#model/lora/loraConfig.ts'
import type { LoraAdapter } from '#model/lora/loraFactors.ts'
import type { AdamWOptions } from './optimizers/adamW.ts'
import type { MuonOptions } from './optimizers/muon.ts'

export interface StepReport {
  readonly loss: number
  /** Euclidean norm of all gradients, before clipping. */
  readonly gradientNorm: number
  /** Tokens fed, padding left out. */
  readonly tokens: number
  readonly learningRate: number
}

export interface TrainerOptions {
  readonly threads?: number
  /**
   * What computes losses, gradients and updates, `cpu` by default; Muon updates on the CPU. On a GPU a step is not the CPU's bit for bit. WebGPU
   * keeps what AdamW trains, see `Trainer.resident`.
   */
  readonly device?: Device
  readonly optimizer?: ({ readonly kind: 'adamW' } & AdamWOptions) | ({ readonly kind: 'muon' } & MuonOptions)
  /** Limit of the gradients' joint norm; 1 (arXiv:1211.5063 section 3.2). */
  readonly clipNorm?: number
  /** Sampling temperature of the policy; 1. */
  readonly temperature?: number
  /**
   * Top-p that the policy is sampled with, 0.99 at least; 1. Ratios are of the whole policy to the nucleus that was drawn from, which is off by
   * what top-p leaves out, and gradients are those of the whole policy.
   */
  readonly topP?: number
  /**
   * Padded tokens at once, in one graph. A larger batch is split, and its gradients are summed, so that the bits of a step
   * depend on it. 2048: a step of a million parameters then takes 130 MB instead of 440 with 8192, and is a third faster, since its
   * activations stay in the cache.
   */
  readonly maxTokens?: number
  /** An adapter to train instead of the weights. */
  readonly adapter?: LoraAdapter
  /** Which weights are trained, without an adapter: `all`, or those of the `layers` and the last norm, not the tables. */
  readonly parameters?: 'all' | 'layers'
  /**
   * Run layer by layer, as models do whose intermediate values are too large to hold at once, see `stepPlan`; or in one graph, which
   * is the fastest for small ones. By default what the estimate of a step's memory says. In wide models the two differ in the last
   * bits.
   */
  readonly layered?: boolean
  /**
   * How a layered trainer computes products with the frozen base of an adapter: in `float32`, the default, or in `int8`, as sums
   * of integers forwards and for the gradients of activations, with a scale for each row and column (LLM.int8(), arXiv:2208.07339); its
   * weights are rounded when the trainer is made. Or in `float16`, with a scale for each row of activations and gradients, for devices that have it: what is trained, sums of layers, norms, attention,
   * the output layer and log-probabilities stay in float32.
   */
  readonly precision?: StepPrecision
  /** Bytes that a step may use in addition to what it holds already; four fifths of what the machine has free by default. */
  readonly memoryBytes?: number
}
