import { MAX_SEQUENCE_TOKENS, type Task, type TaskBundle, taskHash, tokenWidth } from '#core/bodies.ts'
import type { Hex } from '#core/hex.ts'
import { inTurns } from '#core/inTurns.ts'
import { unpackSequence, unpackTokens } from '#core/packedTokens.ts'
import type { Environment, Problem } from '#environments/environment.ts'
import type { PromptFormat } from '#environments/promptFormat.ts'

/** Where a task stands: the proposer, its bundle, the task's place there. */
export type TaskRef = { peerKey: Hex; contentId: Hex; index: number }

/** A proposed task that may be solved and trained on. */
export type AdmittedTask = { ref: TaskRef; taskHash: Hex; level: number; text: string; problem: Problem }

/** A bundle whose root was found on the chain. */
export type CommittedTasks = { bundle: TaskBundle; contentId: Hex }

/** The tasks of a round that may be trained on, in an order that is the same for everyone: by proposer, then by index. */
export async function admitTasks(committed: readonly CommittedTasks[], rules: TaskRules): Promise<AdmittedTask[]> {
  const inOrder = [...committed].sort((a, b) => (a.bundle.peerKey < b.bundle.peerKey ? -1 : 1))
  const admitted: AdmittedTask[] = []
  for (const one of inOrder) admitted.push(...(await admitBundle(one, rules)))
  return admitted
}

/** What of an environment decides which tasks count. */
export type TaskRules = Pick<Environment, 'format' | 'proposals'>

/**
 * The tasks of one bundle that may be trained on.
 *
 * A task counts only if its text is what its tokens say, no more tokens than a proposal may have, is a well-formed proposal whose
 * prompt fits a rollout, and may be trained on by the specification; once, if its proposer repeats it.
 */
export async function admitBundle(
  { bundle: { peerKey, tasks }, contentId }: CommittedTasks,
  rules: TaskRules,
): Promise<AdmittedTask[]> {
  const admitted = await inTurns(tasks, async task => {
    const problem = await problemOf(task, rules)
    const { index, level, text } = task
    return problem === null
      ? []
      : [{ ref: { peerKey, contentId, index }, taskHash: taskHash(task), level, text, problem }]
  })
  const seen = new Set<Hex>()
  return admitted.flat().filter(({ taskHash }) => {
    const known = seen.size
    return seen.add(taskHash).size > known
  })
}

/** What a task asks for; null where it does not count. */
async function problemOf(task: Task, { format, proposals }: TaskRules): Promise<Problem | null> {
  if (proposals === null || tokenWidth(task) === null) return null
  const { completionTokens } = unpackSequence(task)
  if (completionTokens.length > proposals.sampling.maxNewTokens || !areTokens(completionTokens, format)) return null
  if ((await format.completionText(completionTokens, true)) !== task.text) return null
  const problem = await proposals.read(task.text)
  if (problem === null) return null
  const prompt = await format.solverPrompt(problem)
  return prompt.length > MAX_SEQUENCE_TOKENS ? null : problem
}

/** Text of a completion as it stands in a bundle; '' where it holds what is no token. */
export async function packedText(
  format: PromptFormat,
  completion: Uint8Array,
  width: 2 | 4,
  ended: boolean,
): Promise<string> {
  const tokens = unpackTokens(completion, width)
  return areTokens(tokens, format) ? format.completionText(tokens, ended) : ''
}

/** Whether ids that a peer sent are ones that a model can be fed. */
export function areTokens(ids: Int32Array, { vocabSize }: PromptFormat): boolean {
  return ids.every(id => id >= 0 && id < vocabSize)
}
