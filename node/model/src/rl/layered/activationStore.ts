import { type Tensor, tensor } from '#engine/session.ts'
import type { Shape } from '#engine/value.ts'

/**
 * Memory for a pass, by name, used again by every run and grown where a run needs more: nothing is left to the garbage
 * collector, which would free such large arrays late.
 */
export class ActivationStore {
  readonly #arrays = new Map<string, Float32Array<ArrayBuffer>>()

  /** A tensor of a name; its elements are what the last run left. Names of `shape` take their lengths from `lengths`. */
  place(name: string, shape: Shape, lengths: Readonly<Record<string, number>>): Tensor {
    const bound = shape.map(dim => (typeof dim === 'number' ? dim : lengthOf(dim, lengths)))
    const count = bound.reduce((a, b) => a * b, 1)
    let array = this.#arrays.get(name)
    if (!array || array.length < count) {
      array = new Float32Array(count)
      this.#arrays.set(name, array)
    }
    return tensor('f32', array.subarray(0, count), bound)
  }

  /** Gives the memory back at once: the garbage collector knows nothing of what the runtime lacks. What was placed is void. */
  release(): void {
    for (const array of this.#arrays.values()) array.buffer.transfer(0)
    this.#arrays.clear()
  }
}

function lengthOf(dim: string, lengths: Readonly<Record<string, number>>): number {
  return dim.split('*').reduce((product, name) => product * (lengths[name] ?? Number(name)), 1)
}
