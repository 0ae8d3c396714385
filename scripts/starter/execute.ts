import { drawInputs } from '../../node/src/environments/codezero/curriculum/drawInputs.ts'
import { neighbourMeanings } from '../../node/src/environments/codezero/curriculum/neighbourMeanings.ts'
import type { PythonValue } from '../../node/src/environments/codezero/curriculum/pythonValue.ts'
import { isHeldOut } from '../../node/src/environments/codezero/curriculum/semanticKey.ts'
import { callOf, returnsWhatIsAsked } from '../../node/src/environments/codezero/curriculum/strictTests.ts'
import type { Task } from '../../node/src/environments/codezero/curriculum/task.ts'
import { taskText } from '../../node/src/environments/codezero/curriculum/taskText.ts'
import type { SeededRandom } from '../../node/src/environments/seededRandom.ts'
import type { Sandbox } from '../../node/src/sandbox/createSandbox.ts'

export type Attempt = { code: string; task: Task; origin: string }

/** An attempt with what it returned; a null output means that it raised. */
export type Executed = Attempt & {
  inputs: PythonValue[][]
  outputs: (string | null)[]
  isRight: boolean
  /** It raises or returns None for some input, and is therefore wrong for any task. */
  isBroken: boolean
}

/** Runs attempts in the sandbox on inputs drawn for their tasks. For labels and measurement, never for a reward. */
export async function execute(
  sandbox: Sandbox,
  attempts: readonly Attempt[],
  random: SeededRandom,
): Promise<Executed[]> {
  const inputs = attempts.map(({ task }) => drawInputs(task.meaning, random))
  const outputs = await sandbox.evaluate(
    attempts.map(({ code, task }, i) => ({ code, expressions: (inputs[i] ?? []).map(args => callOf(task, args)) })),
  )
  return attempts.map((attempt, i) => {
    const [given, got] = [inputs[i] ?? [], outputs[i] ?? []]
    const isBroken = got.some(value => value === null || value === 'None')
    return {
      ...attempt,
      inputs: given,
      outputs: got,
      isBroken,
      isRight: returnsWhatIsAsked(attempt.task.meaning, given, got),
    }
  })
}

/**
 * Wrong code under the text that it deserves: that of a neighbouring meaning whose values it returns. Unchanged where
 * there is none, null if it turns out to be a held-out function.
 */
export function relabelled(attempt: Executed, random: SeededRandom): Executed | null {
  if (attempt.isRight) return attempt
  const matching = neighbourMeanings(attempt.task.meaning).filter(meaning =>
    returnsWhatIsAsked(meaning, attempt.inputs, attempt.outputs),
  )
  if (matching.some(isHeldOut)) return null
  if (!matching.length) return attempt
  const meaning = random.pick(matching)
  return { ...attempt, isRight: true, task: { ...attempt.task, meaning, text: taskText(meaning, random) } }
}
