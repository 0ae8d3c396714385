import type { Generator } from '../../node/model/src/model/generation/generate.ts'
import type { Tokenizer } from '../../node/model/src/model/tokenizers/tokenizer.ts'
import { canaryCases } from '../../node/src/environments/codezero/curriculum/canaryTasks.ts'
import type { Level } from '../../node/src/environments/codezero/curriculum/task.ts'
import type { Sandbox } from '../../node/src/sandbox/createSandbox.ts'
import { sampleAnswers } from './sampleAnswers.ts'

/** Share of answers to the held-out tasks of a level that pass their tests, run in the sandbox. */
export async function passRate(
  generator: Generator,
  tokenizer: Tokenizer,
  sandbox: Sandbox,
  options: { level: Level; tasks: number; samples: number; temperature: number },
): Promise<number> {
  const { level, samples, temperature } = options
  const cases = await canaryCases(level, options.tasks)
  const tasks = cases.map(({ task }) => task)
  // One seed for all measurements, so that before and after differ by the weights alone.
  const answers = await sampleAnswers(generator, tokenizer, tasks, { samples, temperature, seed: `canary ${level}` })
  const verdicts = await sandbox.runTests(
    answers.map(({ code }, i) => ({
      code: code ?? 'raise ValueError',
      tests: cases[Math.floor(i / samples)]?.tests ?? [],
    })),
  )
  return Number((verdicts.filter(verdict => verdict === 'pass').length / verdicts.length).toFixed(3))
}
