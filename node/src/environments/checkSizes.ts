import { formatSizes } from '#core/payloads/payloadSizes.ts'
import type { Environment } from './environment.ts'
import { levels } from './level.ts'
import { largestAnswers } from './payloadSizes.ts'

/** Tasks of each level whose prompts are measured. */
const MEASURED = 3

/** Whether a round's answers fit into their payloads if each is as long as it may be. Too many show only once a policy writes long ones. */
export async function checkSizes({ spec, format, drawTasks }: Environment): Promise<string[]> {
  const tasks = levels.flatMap(level => drawTasks(level, MEASURED, 'sizes'))
  const prompts = await Promise.all(tasks.map(({ problem }) => format.solverPrompt(problem)))
  const largest = largestAnswers(spec, format.tokenBytes, Math.max(...prompts.map(({ length }) => length)))
  return (['rollouts', 'canary'] as const)
    .filter(kind => largest[kind] > formatSizes[kind])
    .map(
      kind =>
        `${kind}: up to ${largest[kind]} bytes, of which ${formatSizes[kind]} can be published: lower solving.maxNewTokens, or the number of answers.`,
    )
}
