import { TrainerError } from '../trainerError.ts'
import type { OptimizerState } from './optimizer.ts'

/** A state that shares no memory with the optimizer. */
export function copiedState(steps: number, tensors: ReadonlyMap<string, Float32Array>): OptimizerState {
  return { steps, tensors: new Map([...tensors].map(([name, data]) => [name, data.slice()])) }
}

/**
 * Copies a saved state's tensors into place.
 *
 * @returns the number of steps taken.
 * @throws {TrainerError} if a tensor is missing, of another size, or not known; nothing is changed then.
 */
export function restoreState(tensors: ReadonlyMap<string, Float32Array>, state: OptimizerState): number {
  for (const [name, data] of tensors) {
    const saved = state.tensors.get(name)
    if (saved?.length !== data.length)
      throw mismatch(`${name} has ${saved?.length ?? 'no'} elements, not ${data.length}`)
  }
  for (const name of state.tensors.keys()) if (!tensors.has(name)) throw mismatch(`${name} is not known`)
  for (const [name, data] of tensors) data.set(state.tensors.get(name) as Float32Array)
  return state.steps
}

const mismatch = (problem: string) =>
  new TrainerError(`the saved optimizer state does not fit the model: ${problem}`, {
    hint: 'Delete the saved optimizer state to start with a fresh one, or restore the model it belongs to.',
  })
