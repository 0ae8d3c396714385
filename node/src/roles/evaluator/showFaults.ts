import type { FalseLeaf } from '#chain/challengeLeaf.ts'
import type { RepeatedTask } from '#chain/challengeTasks.ts'
import type { TxOutcome } from '#chain/outbox.ts'
import type { LogFields } from '#core/logger.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'

/** Shows a false leaf to the chain. Scoring does not wait for it: that a leaf is false counts nothing in the vote already. */
export function showFalseLeaf(node: PeerNode, found: FalseLeaf | null): void {
  if (found === null) return
  const { round, peerKey, index } = found.header
  void node.chain.challengeLeaf(found).then(outcome => {
    report(node, 'false leaf shown', 'RewardVotes_AlreadyAnnulled', outcome, { round, peerKey, index })
  })
}

/** Shows a task that stands twice under its proposer's root. It is admitted once, whatever becomes of this. */
export function showRepeatedTask(node: PeerNode, found: RepeatedTask | null): void {
  if (found === null) return
  const { round, peerKey, index } = found.second
  void node.chain.challengeTasks(found).then(outcome => {
    report(node, 'repeated task shown', 'Openings_TasksFaulty', outcome, { round, peerKey, index })
  })
}

/** Every evaluator sees the fault, and one that shows it is enough. */
function report({ logger }: PeerNode, done: string, known: string, outcome: TxOutcome, fields: LogFields): void {
  const isKnown = outcome.status === 'reverted' && outcome.error.startsWith(known)
  if (isKnown) logger.debug(`${done} by another`, fields)
  else reportOutcome(logger, done, outcome, fields)
}
