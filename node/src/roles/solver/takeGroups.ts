import type { RolloutCommitment } from '#chain/readCommitments.ts'
import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peerKey.ts'
import { checkRollouts, type RoundRules } from '../checkRollouts.ts'
import { fetchRolloutsOf } from '../fetch/fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'
import type { PeerGroups } from './learnRound.ts'

/** Between polls for announcements of bodies that were committed to. */
const POLL_MS = 400

/**
 * Takes the groups of other solvers of a round that has ended, peer by peer as they come, until the time is up or all gave theirs.
 *
 * A bundle counts once its peer has both announced and committed the same root; what breaks the public rule in it is left out.
 * Only so many peers are asked at a time as are still wanted, the most trusted first; one that gives nothing leaves its place to another.
 *
 * @param trustIn - from 0, where nothing is taken from a peer, to 1.
 */
export async function* takeGroups(
  node: PeerNode,
  round: number,
  rules: RoundRules,
  until: AbortSignal,
  trustIn: (peerKey: Hex) => number,
): AsyncGenerator<PeerGroups> {
  const { sharing } = rules.spec
  const asked = new Set<Hex>()
  const ready: PeerGroups[] = []
  const pending = new Map<Hex, Promise<void>>()
  const failures: unknown[] = []
  const committed = await node.chain.readRolloutCommitments(round)
  const others = committed
    .filter(({ peerKey }) => peerKey !== node.identity.peerKey && trustIn(peerKey) > 0)
    .toSorted((a, b) => trustIn(b.peerKey) - trustIn(a.peerKey))
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
    // The round has ended: no commitment is still to come.
    const wanted = others.filter(({ peerKey }) => !asked.has(peerKey))
    if (wanted.length + pending.size === 0) break
    const isAnnounced = announcedBy(node, round)
    for (const commitment of wanted.filter(isAnnounced)) {
      if (given + pending.size >= sharing.peers) break
      asked.add(commitment.peerKey)
      pending.set(commitment.peerKey, take(commitment))
    }
    await Promise.race([...pending.values(), node.clock.sleep(POLL_MS, until).catch(() => undefined)])
  }
  node.signal.throwIfAborted()
}

/** Whether a commitment is one that its peer announced. */
function announcedBy(node: PeerNode, round: number): (commitment: RolloutCommitment) => boolean {
  const announced = new Map(
    node.network
      .announcements(round, 'rollouts')
      .map(({ peerId, root, contentId }) => [peerKeyOf(peerId), root + contentId]),
  )
  return ({ peerKey, root, contentId }) => announced.get(peerKey) === root + contentId
}
