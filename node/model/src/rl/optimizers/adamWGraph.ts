import type { Device } from '#engine/devices/device.ts'
import { rankModel } from '#engine/devices/rankPrograms.ts'
import type { OnnxModel } from '#engine/onnxModel.ts'
import { add, addScalar, concat, div, mul, reshape, scale, sqrt, sub, sumOver, zerosLike } from '#engine/tensor.ts'
import { type AdamWOptions, adamWDefaults } from './adamW.ts'

/** Numbers of a step that are the same for all tensors, each f32 []. */
export interface AdamWScalars {
  /** Factor of gradients that keeps their norm within its limit. */
  readonly factor: number
  /** Factor of weights: 1 minus the decay. */
  readonly keep: number
  /** The learning rate over 1 - beta1^t. */
  readonly rate: number
  /** 1 / (1 - beta2^t). */
  readonly squareScale: number
}

/** @param step - from 1. */
export function adamWScalars(step: number, factor: number, learningRate: number, options: AdamWOptions): AdamWScalars {
  const { beta1, beta2, weightDecay } = adamWDefaults(options)
  const [keep, rate] = [1 - learningRate * weightDecay, learningRate / (1 - beta1 ** step)]
  return { factor, keep, rate, squareScale: 1 / (1 - beta2 ** step) }
}

/**
 * A step of AdamW on one tensor, as `createAdamW` takes it, in float32.
 *
 * Inputs: `weight`, `gradient`, `mean`, `square` of one shape, and the scalars. Outputs: `nextWeight`, `nextMean`, `nextSquare`.
 */
export function adamWModel(rank: number, options: AdamWOptions, device: Device): OnnxModel {
  const { beta1, beta2, epsilon } = adamWDefaults(options)
  return rankModel(device, rank, (graph, shape) => {
    const input = (name: string) => graph.input(name, 'f32', shape)
    const scalar = (name: keyof AdamWScalars) => graph.input(name, 'f32', [])
    const gradient = mul(input('gradient'), scalar('factor'))
    const [mean, square] = [input('mean'), input('square')]
    const nextMean = add(mean, scale(sub(gradient, mean), 1 - beta1))
    const nextSquare = add(square, scale(sub(mul(gradient, gradient), square), 1 - beta2))
    const deviation = addScalar(sqrt(mul(nextSquare, scalar('squareScale'))), epsilon)
    const nextWeight = sub(mul(input('weight'), scalar('keep')), div(mul(nextMean, scalar('rate')), deviation))
    return { nextWeight, nextMean, nextSquare }
  })
}

/** Adds a tensor's sum of squares to a list: inputs `x`, `list` [K]; output `longer` [K + 1]. */
export function squaresModel(rank: number, device: Device): OnnxModel {
  return rankModel(device, rank, (graph, shape) => {
    const x = graph.input('x', 'f32', shape)
    // Row by row first: a sum over everything at once is one group of threads.
    const squares = rank > 1 ? sumOver(mul(x, x), [rank - 1]) : mul(x, x)
    return { longer: concat([graph.input('list', 'f32', ['K']), reshape(sumOver(squares), [1])], 0, 'K+1') }
  })
}

/** Zeros in the shape of `x`. */
export function zerosModel(rank: number, device: Device): OnnxModel {
  return rankModel(device, rank, (graph, shape) => ({ y: zerosLike(graph.input('x', 'f32', shape)) }))
}

/** The sum of `a` and `b`. */
export function sumModel(rank: number, device: Device): OnnxModel {
  return rankModel(device, rank, (graph, shape) => ({
    y: add(graph.input('a', 'f32', shape), graph.input('b', 'f32', shape)),
  }))
}
