import type { RolloutCommitment } from '#chain/readCommitments.ts'
import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peerKey.ts'
import { checkRollouts, type RoundRules } from '../checkRollouts.ts'
import { fetchRolloutsOf } from '../fetch/fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'
import type { PeerGroups } from './learnRound.ts'

/**
 * Takes the groups of other solvers of this round, peer by peer as they come, until the time is up.
 *
 * A bundle counts once its peer has both announced and committed the same root; what breaks the public rule in it is left out.
 * Only so many peers are asked at a time as are still wanted; one that gives nothing leaves its place to another.
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
  const asked = new Set<Hex>()
  const ready: PeerGroups[] = []
  const pending = new Map<Hex, Promise<void>>()
  const failures: unknown[] = []
  const take = async (commitment: RolloutCommitment) => {
    try {
      const checked = await fetchRolloutsOf(node, round, commitment, until, ({ body }) => checkRollouts(body, rules))
      const groups = checked.ok ? checked.value.slice(0, sharing.groupsPerPeer) : []
      if (groups.length > 0) ready.push({ peerKey: commitment.peerKey, groups })
    } catch (error) {
      failures.push(error)
    }
    pending.delete(commitment.peerKey)
  }
  for (let given = 0; !until.aborted && given < sharing.peers; ) {
    if (failures.length > 0) throw failures[0]
    const next = ready.shift()
    if (next !== undefined) {
      given += 1
      yield next
      continue
    }
    for (const commitment of await announcedAndCommitted(node, round)) {
      if (given + pending.size >= sharing.peers) break
      if (asked.has(commitment.peerKey) || isHeld(commitment.peerKey)) continue
      asked.add(commitment.peerKey)
      pending.set(commitment.peerKey, take(commitment))
    }
    await Promise.race([...pending.values(), node.chain.nextBlock(until).catch(() => undefined)])
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
