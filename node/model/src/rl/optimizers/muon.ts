import { Graph } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import { createSession, type Tensor, tensor } from '#engine/session.ts'
import { add, addScalar, div, matMul, mul, scale, sqrt, sumOver, transpose } from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import { type AdamWOptions, createAdamW } from './adamW.ts'
import type { Gradients, Optimizer, Parameters } from './optimizer.ts'
import { copiedState, restoreState } from './optimizerState.ts'

export interface MuonOptions extends AdamWOptions {
  /** Decay of the momentum of the matrices' gradients; 0.95. */
  readonly momentum?: number
  readonly threads?: number
}

/** AdamW updates the embedding and the output layer, which are tables of rows and not linear maps, as well as norms and biases. */
const isBodyMatrix = (name: string, shape: readonly number[]) => shape.length === 2 && name.startsWith('model.layers.')

/**
 * Muon for the matrices of the body, AdamW for the rest (its default here: beta2 0.98, weight decay 0.02).
 *
 * The Nesterov momentum of a matrix's gradient is made nearly orthogonal by five Newton-Schulz steps, and scaled by
 * 0.2 sqrt(larger side), so that its root mean square matches AdamW's updates and one learning rate serves both.
 *
 * @see Jordan et al., Muon, 2024, https://kellerjordan.github.io/posts/muon; the scale from arXiv:2502.16982
 * section 2.2.
 */
export async function createMuon(parameters: Parameters, options: MuonOptions = {}): Promise<Optimizer> {
  const { momentum = 0.95, weightDecay = 0.02, beta2 = 0.98 } = options
  const matrices = new Map([...parameters].filter(([name, { shape }]) => isBodyMatrix(name, shape)))
  const others = new Map([...parameters].filter(([name]) => !matrices.has(name)))
  const adamW = createAdamW(others, { ...options, beta2, weightDecay })
  const momenta = new Map([...matrices].map(([name, { data }]) => [`momentum.${name}`, new Float32Array(data.length)]))
  const session = await createSession(orthogonalizationModel(matrices), { threads: options.threads ?? 2 })
  return {
    get steps() {
      return adamW.steps
    },
    async step(gradients: Gradients, learningRate: number) {
      await adamW.step(gradients, learningRate)
      const feeds: Record<string, Tensor> = {}
      for (const [name, { shape }] of matrices) {
        const mean = momenta.get(`momentum.${name}`) as Float32Array
        feeds[name] = tensor('f32', nesterov(gradients.get(name) as Float32Array, mean, momentum), shape)
      }
      const updates = await session.run(feeds)
      const keep = 1 - learningRate * weightDecay
      for (const [name, { shape, data }] of matrices) {
        const update = (updates[`update.${name}`] as Tensor<'f32'>).data
        const rate = learningRate * 0.2 * Math.sqrt(Math.max(...shape))
        for (let i = 0; i < data.length; i++) data[i] = keep * (data[i] as number) - rate * (update[i] as number)
      }
    },
    state: () => {
      const rest = adamW.state()
      return copiedState(rest.steps, new Map([...rest.tensors, ...momenta]))
    },
    load: state => {
      const isMomentum = (name: string) => name.startsWith('momentum.')
      const part = (mine: boolean) => ({
        steps: state.steps,
        tensors: new Map([...state.tensors].filter(([name]) => isMomentum(name) === mine)),
      })
      restoreState(momenta, part(true))
      adamW.load(part(false))
    },
    async dispose() {
      await session.dispose()
      await adamW.dispose()
    },
  }
}

/** Updates the momentum in place; returns the gradient with Nesterov momentum. */
function nesterov(gradient: Float32Array, mean: Float32Array, momentum: number): Float32Array {
  const ahead = new Float32Array(gradient.length)
  for (let i = 0; i < gradient.length; i++) {
    const g = gradient[i] as number
    const m = momentum * (mean[i] as number) + (1 - momentum) * g
    mean[i] = m
    ahead[i] = (1 - momentum) * g + momentum * m
  }
  return ahead
}

/** Newton-Schulz for every matrix as one graph: input `<name>`, output `update.<name>`, both in the matrix's shape. */
function orthogonalizationModel(matrices: Parameters): OnnxModel {
  const graph = new Graph()
  const outputs: Record<string, Value> = {}
  for (const [name, { shape }] of matrices) outputs[`update.${name}`] = orthogonalized(graph.input(name, 'f32', shape))
  return encodeModel(outputs)
}

/** Coefficients of the quintic iteration, which takes singular values to within 0.7 to 1.2 in five steps. */
const [A, B, C] = [3.4445, -4.775, 2.0315]

function orthogonalized(matrix: Value): Value {
  const tall = (matrix.shape[0] as number) > (matrix.shape[1] as number)
  let x = tall ? transpose(matrix, [1, 0]) : matrix // [n, m], n <= m
  x = div(x, addScalar(sqrt(sumOver(mul(x, x))), 1e-7))
  for (let i = 0; i < 5; i++) {
    const gram = matMul(x, x, { transB: true })
    const polynomial = add(scale(gram, B), matMul(gram, gram, { alpha: C }))
    x = add(scale(x, A), matMul(polynomial, x))
  }
  return tall ? transpose(x, [1, 0]) : x
}
