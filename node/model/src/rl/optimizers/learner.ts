import { TrainerError } from '../trainerError.ts'
import type { Optimizer, OptimizerState, Parameters } from './optimizer.ts'

/** One update from the sums of a batch's gradients. */
export interface Update<G> {
  readonly loss: number
  readonly sums: ReadonlyMap<string, G>
  readonly learningRate: number
  /** Limit of the gradients' joint norm; 0 for none. */
  readonly clipNorm: number
}

/** An earlier state of the trained tensors. Restore it or release it, once. */
export interface Snapshot {
  undo(): Promise<void>
  forget(): Promise<void>
}

/** Trained tensors and their optimizer, in this process or on a device. `G` is the type of a gradient there. */
export interface Learner<G> {
  /** Updates taken. */
  readonly steps: number
  /**
   * Clips the gradients and takes a step of the optimizer.
   *
   * @returns the norm before.
   * @throws {TrainerError} if the loss or the norm is not finite; nothing has changed then.
   */
  update(update: Update<G>): Promise<number>
  snapshot(): Promise<Snapshot>
  /** A copy of the optimizer's state. */
  state(): Promise<OptimizerState>
  /** @throws {TrainerError} if the state is not of these parameters. */
  load(state: OptimizerState): void
  /** Copies the trained tensors back into the arrays that they came from. */
  readBack(): Promise<void>
  dispose(): Promise<void>
}

/** A learner in this process's memory, which trains the arrays in place. */
export function hostLearner(parameters: Parameters, optimizer: Optimizer): Learner<Float32Array> {
  return {
    get steps() {
      return optimizer.steps
    },
    async update({ loss, sums, learningRate, clipNorm }) {
      const norm = clipGradients(sums, clipNorm)
      requireFinite(loss, norm)
      await optimizer.step(sums, learningRate)
      return norm
    },
    async snapshot() {
      const kept = [...parameters.values()].map(({ data }) => data.slice())
      const state = optimizer.state()
      return {
        async undo() {
          for (const [i, { data }] of [...parameters.values()].entries()) data.set(kept[i] as Float32Array)
          optimizer.load(state)
        },
        async forget() {},
      }
    },
    state: async () => optimizer.state(),
    load: state => optimizer.load(state),
    async readBack() {},
    dispose: () => optimizer.dispose(),
  }
}

/** A step's loss or gradient is not finite; its weights did not change. */
export class NotFiniteError extends TrainerError {}

/** Checks before weights change, so that a bad batch cannot damage them. */
export function requireFinite(loss: number, norm: number): void {
  if (Number.isFinite(loss) && Number.isFinite(norm)) return
  throw new NotFiniteError(`the loss is ${loss}, the gradient's norm ${norm}`, {
    hint: 'Lower the learning rate, or go back to the last saved weights.',
  })
}

/**
 * Scales gradients in place so that their joint Euclidean norm is at most `limit`.
 *
 * @param limit - 0 leaves them as they are.
 * @returns the norm before.
 */
export function clipGradients(gradients: ReadonlyMap<string, Float32Array>, limit: number): number {
  let squares = 0
  for (const gradient of gradients.values()) {
    for (let i = 0; i < gradient.length; i++) squares += (gradient[i] as number) ** 2
  }
  const norm = Math.sqrt(squares)
  if (limit > 0 && norm > limit) {
    const factor = limit / (norm + 1e-6)
    for (const gradient of gradients.values()) {
      for (let i = 0; i < gradient.length; i++) gradient[i] = (gradient[i] as number) * factor
    }
  }
  return norm
}
