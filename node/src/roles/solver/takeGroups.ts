import type { RolloutCommitment } from '#chain/readCommitments.ts'
import { peerKeyOf } from '#core/peerKey.ts'
import { checkRollouts, type RoundRules } from '../checkRollouts.ts'
import { fetchRollouts } from '../fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'
import type { Learner } from './learner.ts'

/** Between looks at the chain for commitments that an announcement is ahead of. */
const POLL_MS = 400

/**
 * Takes the groups of other solvers of this round, as they come, until the time is up, and learns from each peer's in an
 * update of their own.
 *
 * A bundle counts once its peer has both announced and committed the same root; what breaks the public rule in it is left out.
 *
 * @returns groups that were trained on.
 */
export async function takeGroups(
  node: PeerNode,
  learner: Learner,
  round: number,
  rules: RoundRules,
  until: AbortSignal,
): Promise<number> {
  const { sharing } = rules.spec
  const met = new Set<string>()
  let taken = 0
  while (!until.aborted && met.size < sharing.peers) {
    const commitment = (await announcedAndCommitted(node, round)).find(({ peerKey }) => !met.has(peerKey))
    if (commitment === undefined) {
      await node.clock.sleep(POLL_MS, until).catch(() => undefined)
      continue
    }
    met.add(commitment.peerKey)
    const bundle = await fetchRollouts(node, round, commitment, until)
    if (typeof bundle === 'string') continue
    const groups = checkRollouts(bundle, rules).slice(0, sharing.groupsPerPeer)
    if (groups.length === 0) continue
    await learner.learn(groups, false)
    taken += groups.length
  }
  node.signal.throwIfAborted()
  return taken
}

/** Commitments of others whose root is the one that the peer itself announced. */
async function announcedAndCommitted(node: PeerNode, round: number): Promise<RolloutCommitment[]> {
  const announced = new Map(
    node.network
      .announcements(round, 'rollouts')
      .map(({ peerId, root, contentId }) => [peerKeyOf(peerId), root + contentId]),
  )
  announced.delete(node.identity.peerKey)
  if (announced.size === 0) return []
  const committed = await node.chain.readRolloutCommitments(round)
  return committed.filter(({ peerKey, root, contentId }) => announced.get(peerKey) === root + contentId)
}
