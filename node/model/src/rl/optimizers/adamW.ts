import type { Gradients, Optimizer, Parameters } from './optimizer.ts'
import { copiedState, restoreState } from './optimizerState.ts'

export interface AdamWOptions {
  /** Decay of the mean of gradients; 0.9. */
  readonly beta1?: number
  /** Decay of the mean of their squares; 0.99, short because runs are. */
  readonly beta2?: number
  /** 1e-8. */
  readonly epsilon?: number
  /** Pull towards zero, times the learning rate, apart from the gradient; 0. */
  readonly weightDecay?: number
}

/** Moments before the first step, by `<kind>.<parameter>`. */
export function zeroMoments(parameters: Parameters): Map<string, Float32Array> {
  const moments = new Map<string, Float32Array>()
  for (const [name, { data }] of parameters) {
    moments.set(`mean.${name}`, new Float32Array(data.length))
    moments.set(`square.${name}`, new Float32Array(data.length))
  }
  return moments
}

export const adamWDefaults = ({ beta1 = 0.9, beta2 = 0.99, epsilon = 1e-8, weightDecay = 0 }: AdamWOptions) => ({
  beta1,
  beta2,
  epsilon,
  weightDecay,
})

/**
 * Adam with decoupled weight decay.
 *
 * Moments are kept in float32; each element is computed in float64 and rounded once.
 *
 * @see Loshchilov and Hutter, arXiv:1711.05101, algorithm 2; bias correction as in PyTorch.
 */
export function createAdamW(parameters: Parameters, options: AdamWOptions = {}): Optimizer {
  const { beta1, beta2, epsilon, weightDecay } = adamWDefaults(options)
  let steps = 0
  const tensors = zeroMoments(parameters)
  return {
    get steps() {
      return steps
    },
    async step(gradients: Gradients, learningRate: number) {
      steps++
      const meanScale = 1 / (1 - beta1 ** steps)
      const squareScale = 1 / (1 - beta2 ** steps)
      const keep = 1 - learningRate * weightDecay
      for (const [name, { data }] of parameters) {
        const gradient = gradients.get(name) as Float32Array
        const mean = tensors.get(`mean.${name}`) as Float32Array
        const square = tensors.get(`square.${name}`) as Float32Array
        for (let i = 0; i < data.length; i++) {
          const g = gradient[i] as number
          const m = beta1 * (mean[i] as number) + (1 - beta1) * g
          const v = beta2 * (square[i] as number) + (1 - beta2) * g * g
          mean[i] = m
          square[i] = v
          data[i] = keep * (data[i] as number) - (learningRate * m * meanScale) / (Math.sqrt(v * squareScale) + epsilon)
        }
      }
    },
    state: () => copiedState(steps, tensors),
    load: state => {
      steps = restoreState(tensors, state)
    },
    async dispose() {},
  }
}
