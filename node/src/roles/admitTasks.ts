import { type Task, type TaskBundle, taskHash, tokenWidth } from '#core/bodies.ts'
import type { Hex } from '#core/hex.ts'
import { inTurns } from '#core/inTurns.ts'
import { unpackSequence, unpackTokens } from '#core/packedTokens.ts'
import { mayTrainOn } from '#environments/codezero/admitProblem.ts'
import type { Problem } from '#environments/codezero/curriculum/task.ts'
import type { EnvironmentSpec } from '#environments/codezero/environmentSpec.ts'
import { parseProposal } from '#environments/codezero/parseProposal.ts'
import type { PromptFormat } from '#environments/codezero/promptFormat.ts'

/** Where a task stands: the proposer, its bundle, the task's place there. */
export type TaskRef = { peerKey: Hex; contentId: Hex; index: number }

/** A proposed task that may be solved and trained on. */
export type AdmittedTask = { ref: TaskRef; taskHash: Hex; level: number; text: string; problem: Problem }

/** A bundle whose root was found on the chain. */
export type CommittedTasks = { bundle: TaskBundle; contentId: Hex }

/**
 * The tasks of a round that may be trained on, in an order that is the same for everyone: by proposer, then by index.
 *
 * A task counts only if its text is what its tokens say, is a well-formed proposal, and may be trained on by the specification;
 * once, if its proposer repeats it.
 */
export async function admitTasks(
  committed: readonly CommittedTasks[],
  format: PromptFormat,
  rule: EnvironmentSpec['tasks'],
): Promise<AdmittedTask[]> {
  const inOrder = [...committed].sort((a, b) => (a.bundle.peerKey < b.bundle.peerKey ? -1 : 1))
  const proposed = inOrder.flatMap(({ bundle: { peerKey, tasks }, contentId }) =>
    tasks.map(task => ({ task, ref: { peerKey, contentId, index: task.index } })),
  )
  const admitted = await inTurns(proposed, async ({ task, ref }) => {
    const problem = await problemOf(task, format, rule)
    const { level, text } = task
    return problem === null ? [] : [{ ref, taskHash: taskHash(task), level, text, problem }]
  })
  const seen = new Set<string>()
  return admitted.flat().filter(({ ref, taskHash }) => {
    const known = seen.size
    return seen.add(`${ref.peerKey} ${taskHash}`).size > known
  })
}

/** What a task asks for; null where it does not count. */
async function problemOf(task: Task, format: PromptFormat, rule: EnvironmentSpec['tasks']): Promise<Problem | null> {
  if (tokenWidth(task) === null) return null
  const { completionTokens } = unpackSequence(task)
  if (!areTokens(completionTokens, format)) return null
  if ((await format.completionText(completionTokens, true)) !== task.text) return null
  const proposal = await parseProposal(task.text)
  return typeof proposal === 'string' || !mayTrainOn(proposal.problem, rule) ? null : proposal.problem
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
