import type { Environment, HeldOutTask, Judge } from './environment.ts'
import { levels } from './level.ts'

/** Held-out tasks of a level that are tried. */
const TASKS = 20

const words = ['true', 'false', 'yes', 'no', ...Array.from({ length: 100 }, (_, number) => String(number))]
/** Answers that are right for some task of many kinds, bare and in tags. */
const guesses = words.flatMap(word => [word, `<answer>${word}</answer>`])

/**
 * Finds right guesses for held-out tasks, and compares the check with the score: both count the same answers, also those that the token limit cut off.
 * A right guess among wrong ones, which is neither the first nor the last, is wrong: otherwise an answer may list all that it could be.
 *
 * A check that runs code is not compared, and where no guess is right, nothing is found.
 */
export async function checkGuesses({ heldOutTasks }: Environment, judge: Judge): Promise<string[]> {
  for (const level of levels)
    for (const task of await heldOutTasks(level, TASKS)) {
      const text = await rightGuess(task)
      if (text === null) continue
      for (const ended of [true, false]) {
        const [isRight, counts] = [await task.check(text, ended), await scoresRight(judge, task, text, ended)]
        if (isRight !== counts) return [findingOf(text, ended, counts)]
      }
      const several = await amongWrong(task, text)
      if (several === null) continue
      const found = [await task.check(several, true), await scoresRight(judge, task, several, true)]
      if (found.includes(true)) return [severalOf(several)]
    }
  return []
}

async function scoresRight(judge: Judge, { problem }: HeldOutTask, text: string, ended: boolean): Promise<boolean> {
  const [score] = await judge.score([{ problem, text, ended }])
  return (score?.correctness ?? 0) > 0.5
}

/** A right guess between two wrong ones of its form; null if there are none. */
async function amongWrong({ check }: HeldOutTask, right: string): Promise<string | null> {
  const wrong: string[] = []
  for (const guess of guesses)
    if (guess.startsWith('<') === right.startsWith('<') && !(await check(guess, true))) wrong.push(guess)
  const [first, last] = wrong
  return first === undefined || last === undefined ? null : `${first} ${right} ${last}`
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

const severalOf = (text: string) =>
  `score: ${JSON.stringify(text)}, one right answer among wrong ones, counts as right: read one answer, and nothing else.`
