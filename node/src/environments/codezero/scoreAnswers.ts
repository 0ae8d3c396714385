import { mapYielding } from '#core/threads/mapYielding.ts'
import type { Problem } from './curriculum/task.ts'
import type { CodeJudge } from './judge/createJudge.ts'
import { codeSkeleton } from './python/codeSkeleton.ts'
import { givesNothing, mustFail } from './python/mustFail.ts'
import { parsePython } from './python/parsePython.ts'
import { checkStructure, structureChecks } from './structure.ts'

/** The named components of a score, in the order in which they are committed to. */
export const scoreComponents = [...structureChecks, 'predictedCorrectness'] as const
export type ScoreComponent = (typeof scoreComponents)[number]
type ScoreWeights = Record<ScoreComponent, number>

export type Answer = { problem: Problem; text: string; ended: boolean }

/** Each component from 0 to 1, and their weighted sum. */
export type AnswerScore = { components: Record<ScoreComponent, number>; score: number }

/**
 * Scores answers without running any code.
 *
 * Predicted correctness counts only if the structure is complete, so that fragments of a broken answer earn nothing from the judge. It also
 * counts nothing if the answer is the given broken function in another spelling (`codeSkeleton`), always fails when run, or returns nothing.
 *
 * @returns one score an answer, in order; from 0 to the sum of the weights.
 */
export async function scoreAnswers(
  judge: CodeJudge,
  weights: ScoreWeights,
  answers: readonly Answer[],
): Promise<AnswerScore[]> {
  const structures = await mapYielding(answers, ({ text, ended, problem }) => checkStructure(text, ended, problem))
  const judged = await mapYielding(structures, async ({ code }, i) =>
    code === null || (await isWorthless(code, (answers[i] as Answer).problem)) ? [] : [{ code, i }],
  )
  const whole = judged.flat()
  const predicted = await judge.predictCorrectness(
    whole.map(({ code, i }) => ({ code, problem: (answers[i] as Answer).problem })),
  )
  const correctness = new Map(whole.map(({ i }, j) => [i, predicted[j] ?? 0]))
  return structures.map(({ checks }, i) => {
    const components = Object.fromEntries([
      ...structureChecks.map(name => [name, checks[name] ? 1 : 0]),
      ['predictedCorrectness', correctness.get(i) ?? 0],
    ]) as Record<ScoreComponent, number>
    return { components, score: scoreComponents.reduce((sum, name) => sum + weights[name] * components[name], 0) }
  })
}

async function isWorthless(code: string, problem: Problem): Promise<boolean> {
  const tree = await parsePython(code)
  if (tree === null) return true
  return givesNothing(tree, problem) || (await mustFail(tree)) || (await isCopy(code, problem))
}

/** Whether code is the broken function that a problem came with. */
async function isCopy(code: string, problem: Problem): Promise<boolean> {
  if (problem.broken === undefined) return false
  const [given, broken] = [await codeSkeleton(code, problem), await codeSkeleton(problem.broken, problem)]
  return given === broken
}
