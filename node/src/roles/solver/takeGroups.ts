import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { PeerKey } from '#core/hashes.ts'
import { checkRollouts, type RoundRules } from '../draws/checkRollouts.ts'
import { fetchRolloutsOf } from '../fetch/fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'
import { faultOfClaims } from './checkClaims.ts'
import type { LearningModules, PeerGroups } from './learnRound.ts'

/**
 * Takes the groups of other solvers of a finished round, peer by peer as they arrive, until the time is up or all have arrived.
 *
 * A bundle counts if it matches its peer's commitment; groups that break the public rule are left out. It asks as many peers at a time as are
 * still wanted, the most trusted first; a peer without groups is replaced by another. If nobody is left, a peer that committed and gave nothing comes
 * last, without groups.
 *
 * @param trustIn - from 0, for a peer that is not asked, to 1.
 */
export async function* takeGroups(
  node: PeerNode,
  round: number,
  rules: RoundRules,
  until: AbortSignal,
  trustIn: (peerKey: PeerKey) => number,
): AsyncGenerator<PeerGroups> {
  const { sharing } = rules.spec
  const ready: PeerGroups[] = []
  const pending = new Set<Promise<void>>()
  const failures: unknown[] = []
  const committed = await node.chain.readRolloutCommitments(round)
  const others = committed.filter(({ peerKey }) => peerKey !== node.identity.peerKey)
  const silent = new Set(others.map(({ peerKey }) => peerKey))
  // Thousands may have committed: each trust is read once.
  const waiting = others
    .map(commitment => ({ commitment, trust: trustIn(commitment.peerKey) }))
    .filter(({ trust }) => trust > 0)
    .toSorted((a, b) => b.trust - a.trust)
    .map(({ commitment }) => commitment)
  const take = async (commitment: RolloutCommitment) => {
    try {
      const checked = await fetchRolloutsOf(node, round, commitment, until, ({ payload }) =>
        checkRollouts(payload, rules),
      )
      const groups = checked.ok ? checked.value.slice(0, sharing.groupsPerPeer) : []
      if (groups.length > 0) ready.push({ peerKey: commitment.peerKey, groups })
    } catch (error) {
      failures.push(error)
    }
  }
  let given = 0
  while (!until.aborted && given < sharing.peers) {
    if (failures.length > 0) throw failures[0]
    const next = ready.shift()
    if (next !== undefined) {
      given += 1
      silent.delete(next.peerKey)
      yield next
      continue
    }
    for (const commitment of waiting.splice(0, sharing.peers - given - pending.size)) {
      const taking = take(commitment).finally(() => pending.delete(taking))
      pending.add(taking)
    }
    if (pending.size === 0) break
    await Promise.race(pending)
  }
  node.signal.throwIfAborted()
  if (!until.aborted) for (const peerKey of [...silent].slice(0, sharing.peers - given)) yield { peerKey, groups: [] }
}

/**
 * Scores groups of others as they arrive. This needs only the judge, and changes neither the policy nor the lessons or their order. Groups with
 * impossible claims, which are not learned from, are not scored. If the judge fails, it is asked again before learning.
 */
export async function* scoreAhead(
  others: AsyncIterable<PeerGroups>,
  { learner, vocabSize }: Pick<LearningModules, 'learner' | 'vocabSize'>,
): AsyncGenerator<PeerGroups> {
  for await (const theirs of others) {
    const possible = theirs.groups.filter(group => faultOfClaims(group, vocabSize) === null)
    const scored = possible.length === 0 ? [] : await learner.score(possible).catch(() => undefined)
    yield scored === undefined ? theirs : { ...theirs, scored }
  }
}
