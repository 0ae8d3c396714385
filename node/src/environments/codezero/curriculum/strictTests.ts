import { evaluate } from './evaluate.ts'
import { type PythonValue, pythonRepr } from './pythonValue.ts'
import type { Problem, Task } from './task.ts'

/** A call of the problem's function, as Python. */
export function callOf({ name }: Pick<Problem, 'name'>, args: readonly PythonValue[]): string {
  return `${name}(${args.map(pythonRepr).join(', ')})`
}

/** Unit tests that compare values and types (`True` is not 1), to measure with. */
export function strictTests(task: Task, inputs: readonly PythonValue[][]): string[] {
  return inputs.map(args => {
    const expected = pythonRepr(evaluate(task.meaning, args))
    return `assert repr(${callOf(task, args)}) == ${JSON.stringify(expected)}`
  })
}
