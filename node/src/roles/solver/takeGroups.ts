import type { RolloutCommitment } from '#chain/readCommitments.ts'
import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peerKey.ts'
import { checkRollouts, type RoundRules } from '../checkRollouts.ts'
import { fetchRollouts } from '../fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'
import type { PeerGroups } from './learnRound.ts'

/** Between looks at the chain for commitments that an announcement is ahead of. */
const POLL_MS = 400

/**
 * Takes the groups of other solvers of this round, peer by peer as they come, until the time is up.
 *
 * A bundle counts once its peer has both announced and committed the same root; what breaks the public rule in it is left out.
 *
 * @param isHeld - whether nothing is taken from a peer.
 */
export async function* takeGroups(
  node: PeerNode,
  round: number,
  rules: RoundRules,
  until: AbortSignal,
  isHeld: (peerKey: Hex) => boolean,
): AsyncGenerator<PeerGroups> {
  const { sharing } = rules.spec
  const met = new Set<string>()
  while (!until.aborted && met.size < sharing.peers) {
    const commitment = (await announcedAndCommitted(node, round)).find(
      ({ peerKey }) => !met.has(peerKey) && !isHeld(peerKey),
    )
    if (commitment === undefined) {
      await node.clock.sleep(POLL_MS, until).catch(() => undefined)
      continue
    }
    met.add(commitment.peerKey)
    const opened = await fetchRollouts(node, round, commitment, until)
    if (typeof opened === 'string') continue
    const groups = (await checkRollouts(opened.body, rules)).slice(0, sharing.groupsPerPeer)
    if (groups.length > 0) yield { peerKey: commitment.peerKey, groups }
  }
  node.signal.throwIfAborted()
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
