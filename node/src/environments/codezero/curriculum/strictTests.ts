import { evaluate } from './evaluate.ts'
import { type PythonValue, pythonRepr } from './pythonValue.ts'
import type { Meaning, Problem, Task } from './task.ts'

/** A call of the problem's function, as Python. */
export function callOf({ name }: Pick<Problem, 'name'>, args: readonly PythonValue[]): string {
  return `${name}(${args.map(pythonRepr).join(', ')})`
}

/** A call, and the `repr` of the right value: it tells types apart as well (`True` is not 1). */
export type StrictTest = { expression: string; expected: string }

/** Unit tests to measure with. */
export function strictTests(task: Task, inputs: readonly PythonValue[][]): StrictTest[] {
  return inputs.map(args => ({
    expression: callOf(task, args),
    expected: pythonRepr(evaluate(task.meaning, args)),
  }))
}

/** Whether the `repr`s that code gave for these inputs, null if it raised, are those of the right values. */
export function returnsWhatIsAsked(
  meaning: Meaning,
  inputs: readonly PythonValue[][],
  outputs: readonly (string | null)[],
): boolean {
  return inputs.every((args, i) => pythonRepr(evaluate(meaning, args)) === outputs[i])
}
