import type { Environment, HeldOutTask, Judge } from './environment.ts'
import { levels } from './level.ts'

/** Held-out tasks of a level that are tried. */
const TASKS = 20

const words = ['true', 'false', 'yes', 'no', ...Array.from({ length: 100 }, (_, number) => String(number))]
/** Answers that are right for some task of many kinds, bare and in tags. */
const guesses = words.flatMap(word => [word, `<answer>${word}</answer>`])

/**
 * Compares the check of held-out tasks with the score, for guesses that the check takes for right: both count the same answers, also those that
 * the token limit cut off. A check that runs code is not compared, and where no guess is right, nothing is found.
 */
export async function checkTruncation({ heldOutTasks }: Environment, judge: Judge): Promise<string[]> {
  for (const level of levels)
    for (const task of await heldOutTasks(level, TASKS)) {
      const text = await rightGuess(task)
      if (text === null) continue
      for (const ended of [true, false]) {
        const [score] = await judge.score([{ problem: task.problem, text, ended }])
        const [isRight, counts] = [await task.check(text, ended), (score?.correctness ?? 0) > 0.5]
        if (isRight !== counts) return [findingOf(text, ended, counts)]
      }
    }
  return []
}

async function rightGuess({ check }: HeldOutTask): Promise<string | null> {
  for (const text of guesses) {
    const found = await check(text, true)
    if (typeof found !== 'boolean') return null
    if (found) return text
  }
  return null
}

function findingOf(text: string, ended: boolean, counts: boolean): string {
  const answer = `${JSON.stringify(text)}${ended ? '' : ', cut off by the token limit,'}`
  return `heldOutTasks: ${answer} is ${counts ? 'wrong' : 'right'} for check and ${counts ? 'right' : 'wrong'} for the score: decide both by one function of text and ended.`
}
