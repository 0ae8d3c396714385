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
   * Device of losses, gradients and updates, `cpu` by default; Muon updates on the CPU. A step on a GPU is not bitwise identical to one on the CPU.
   * WebGPU keeps the tensors that AdamW trains, see `Trainer.resident`.
   */
  readonly device?: Device
  readonly optimizer?: ({ readonly kind: 'adamW' } & AdamWOptions) | ({ readonly kind: 'muon' } & MuonOptions)
  /** Limit of the gradients' joint norm; 1 (arXiv:1211.5063 section 3.2). */
  readonly clipNorm?: number
  /** Sampling temperature of the policy; 1. */
  readonly temperature?: number
  /**
   * Top-p that the policy is sampled with, at least 0.99; 1. Ratios compare the whole policy with the nucleus that was drawn from, so they are off
   * by the share that top-p leaves out. Gradients are those of the whole policy.
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
  /** Trained weights, without an adapter: `all`, or those of the `layers` and the last norm, not the tables. */
  readonly parameters?: 'all' | 'layers'
  /**
   * Run layer by layer, for models whose intermediate values are too large to hold at once, see `stepPlan`; or in one graph, which is the fastest
   * for small ones. By default the estimate of a step's memory decides. In wide models the two differ in the last bits.
   */
  readonly layered?: boolean
  /**
   * How a layered trainer computes products with the frozen base of an adapter: in `float32`, the default, or in `int8`, as sums
   * of integers forwards and for the gradients of activations, with a scale for each row and column (LLM.int8(), arXiv:2208.07339); its
   * weights are rounded when the trainer is made. Or in `float16`, with a scale for each row of activations and gradients, for devices that have it; WebGPU only
   * stores the base in it, and multiplies in float32. What is trained, sums of layers, norms, attention,
   * the output layer and log-probabilities stay in float32.
   */
  readonly precision?: StepPrecision
  /**
   * Bytes that a step may use in addition to those that it already holds; four fifths of the machine's free memory by default, read before each step.
   * WebGPU has its own memory: there the fastest plan is tried by default, and smaller ones after an allocation fails.
   */
  readonly memoryBytes?: number
}
