import type { SeededRandom } from '../../seededRandom.ts'
import { filters } from './filters.ts'
import type { PythonValue } from './pythonValue.ts'
import type { Meaning } from './task.ts'

/** Inputs to run a solution on: around the condition's constant, where near-misses differ. One row a call. */
export function drawInputs(meaning: Meaning, random: SeededRandom, count = 12): PythonValue[][] {
  const int = (low: number, high: number) => BigInt(random.between(low, high))
  const times = (n: number, draw: () => PythonValue[]) => Array.from({ length: n }, draw)
  switch (meaning.kind) {
    case 'arithmetic':
      return times(count, () => [int(-9, 12), int(-9, 12)])
    case 'string':
      return times(count, () => [
        Array.from({ length: random.between(5, 9) }, () => random.pick([...'abcdeABxy'])).join(''),
      ])
    case 'condition': {
      const c = boundary(meaning.filter)
      return [[c], [c + 1n], [c - 1n], [0n], ...times(count - 4, () => [int(-20, 20)])]
    }
    case 'loop': {
      const c = boundary(meaning.filter)
      const list = () => {
        const drawn = Array.from({ length: random.between(4, 6) }, () => int(-9, 15))
        const near = [c, c * int(2, 3) + int(0, 1), random.pick([0n, c + 1n, c - 1n])]
        return [random.shuffled([...drawn, ...near])]
      }
      return [[[]], ...times(count - 1, list)]
    }
  }
}

function boundary(filter: { id: keyof typeof filters; constant: number }): bigint {
  return filters[filter.id].takesConstant ? BigInt(filter.constant) : 0n
}
