import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { Level } from '../level.ts'
import { seededRandom } from '../seededRandom.ts'
import { drawQuestion, type ReasoningProblem } from './drawQuestion.ts'
import type { FamilyName } from './families/families.ts'

/** Draws in a row without a new question after which a family counts as exhausted. */
const TRIES = 100

/**
 * The fixed held-out questions of a level, all different. Families are drawn alike; if one has no more questions, its share is left out: others
 * in its place would make a set of other difficulty.
 *
 * @returns at most `count` questions.
 */
export async function heldOutQuestions(
  families: readonly FamilyName[],
  level: Level,
  count: number,
): Promise<ReasoningProblem[]> {
  const random = seededRandom(`canary level ${level}`)
  const problems = new Map<string, ReasoningProblem>()
  const exhausted = new Set<FamilyName>()
  for (let place = 0; place < count; place++) {
    await yieldToEventLoop()
    const family = random.pick(families)
    if (exhausted.has(family)) continue
    const draw = () => drawQuestion(family, level, random, { heldOut: true })
    let problem = draw()
    for (let tries = 1; tries < TRIES && problems.has(problem.question); tries++) problem = draw()
    if (problems.has(problem.question)) exhausted.add(family)
    problems.set(problem.question, problem)
  }
  return [...problems.values()]
}
