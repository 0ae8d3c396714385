import { type TaskBundle, taskHash, tokenWidth } from '#core/bodies.ts'
import type { Hex } from '#core/hex.ts'
import { unpackSequence, unpackTokens } from '#core/packedTokens.ts'
import { admitProblem } from '#environments/codezero/admitProblem.ts'
import type { Problem } from '#environments/codezero/curriculum/task.ts'
import { parseProposal } from '#environments/codezero/parseProposal.ts'
import { completionText, type PromptTokenizer } from '#environments/codezero/prompts.ts'

/** Where a task stands: the proposer, its bundle, the task's place there. */
export type TaskRef = { peerKey: Hex; contentId: Hex; index: number }

/** A proposed task that may be solved and trained on. */
export type AdmittedTask = { ref: TaskRef; taskHash: Hex; level: number; text: string; problem: Problem }

/** A bundle whose root was found on the chain. */
export type CommittedTasks = { bundle: TaskBundle; contentId: Hex }

/**
 * The tasks of a round that may be trained on, in an order that is the same for everyone: by proposer, then by index.
 *
 * A task counts only if its text is what its tokens say, is a well-formed proposal, and is understood and not held out.
 */
export function admitTasks(committed: readonly CommittedTasks[], tokenizer: PromptTokenizer): AdmittedTask[] {
  const inOrder = [...committed].sort((a, b) => (a.bundle.peerKey < b.bundle.peerKey ? -1 : 1))
  return inOrder.flatMap(({ bundle, contentId }) =>
    bundle.tasks.flatMap(task => {
      const width = tokenWidth(task)
      if (width === null) return []
      const { completionTokens } = unpackSequence(task)
      if (completionText(tokenizer, completionTokens, true) !== task.text) return []
      const proposal = parseProposal(task.text)
      if (typeof proposal === 'string' || typeof admitProblem(proposal.problem) === 'string') return []
      const ref = { peerKey: bundle.peerKey, contentId, index: task.index }
      const { level, text } = task
      return [{ ref, taskHash: taskHash(task), level, text, problem: proposal.problem }]
    }),
  )
}

/** Text of a completion as it stands in a bundle. */
export function packedText(tokenizer: PromptTokenizer, completion: Uint8Array, width: 2 | 4, ended: boolean): string {
  return completionText(tokenizer, unpackTokens(completion, width), ended)
}
