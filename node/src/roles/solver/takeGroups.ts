import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { PeerKey } from '#core/hashes.ts'
import { checkRollouts, type RoundRules } from '../draws/checkRollouts.ts'
import { fetchRolloutsOf } from '../fetch/fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'
import { faultOfClaims } from './checkClaims.ts'
import type { LearningModules, PeerGroups } from './learnRound.ts'

/**
 * Takes the groups of other solvers of a round that has ended, peer by peer as they come, until the time is up or all gave theirs.
 *
 * A bundle counts if it is what its peer committed; what breaks the public rule in it is left out.
 * Only so many peers are asked at a time as are still wanted, the most trusted first; one that gives nothing leaves its place to another.
 * Where nobody is left to take a place, a peer that committed and gave nothing comes last, without groups.
 *
 * @param trustIn - from 0, where nothing is taken from a peer, to 1.
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
  const waiting = others
    .filter(({ peerKey }) => trustIn(peerKey) > 0)
    .toSorted((a, b) => trustIn(b.peerKey) - trustIn(a.peerKey))
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
 * Scores groups of others as they come: that takes the judge alone, and changes neither the policy nor what is learned, nor in which order.
 * Those whose claims are impossible, which nothing is learned from, are not scored. A judge that fails is asked again when they are learned from.
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
