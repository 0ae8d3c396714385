import type { StepPrecision } from '#model/lora/loraConfig.ts'
import type { GradientPassOptions } from './gradientPass.ts'

/** Values of a layer's forward pass that the backward pass reads: the outputs of its linear modules and of its attention, or only its input. */
export type KeptActivations = 'products' | 'input'

export interface LayeredPassOptions extends GradientPassOptions {
  readonly kept: KeptActivations
  /** Precision of the products with the frozen base of an adapter; float32 by default. */
  readonly precision?: StepPrecision
  /** Rows of the output layer at a time: if that layer is trained, [rows, vocabulary] is the largest array of all. */
  readonly headRows: number
}
