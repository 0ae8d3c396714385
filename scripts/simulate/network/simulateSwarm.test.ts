import { expect, test } from 'vitest'
import type { Ballot } from '../../../node/src/chain/votes/votes.ts'
import type { PeerNode } from '../../../node/src/roles/peerNode.ts'
import { auditAlarms, falseAlarms, networkRows, ofSeed, playHonest, scoresChecked, shareLost } from './rows.ts'
import { simulateSwarm } from './simulateSwarm.ts'
import { testHostileSwarm } from './testHostileSwarm.ts'

test('a swarm is a function of its seed: two runs are the same, event by event', async () => {
  const small = { peers: 8, rounds: 1 }
  const [first, again] = [await playHonest('1', small), await playHonest('1', small)]
  expect(again.trace).toBe(first.trace)
  expect(falseAlarms(first)).toBe(0)
})

test('a seed of a run is played again alone, and one of its small swarms alone', async () => {
  const extent = { first: 0, peers: 8, seeds: 2, rounds: 1, honestRounds: 0 }
  const lines: string[] = []
  await networkRows(ofSeed(extent, 1), line => lines.push(line))
  expect(lines.filter(line => line.startsWith('seed'))).toEqual([expect.stringMatching(/^seed 1: \d+ events, /)])
  expect(ofSeed(extent, 2)).toMatchObject({ first: 2, seeds: 0, honestRounds: 8 })
})

test('a loss is a share of what honest swarms earn, and unknown if they earn nothing', () => {
  expect([shareLost(75, 100), shareLost(110, 100), shareLost(0, 0)]).toEqual([0.25, 0, null])
})

test('an audit checks every score of an honest swarm and accuses nobody, and names each vote of a seat that lies', async () => {
  const swarm = { seed: '1', peers: 8, rounds: 1, audited: true }
  const honest = await simulateSwarm(swarm)
  expect([auditAlarms(honest.audit), scoresChecked(honest.audit)]).toEqual([0, 3])
  const lied = await simulateSwarm({ ...swarm, conduct: number => (number === 0 ? { bend: lying } : null) })
  const names = lied.audit?.rounds.flatMap(({ disagreements }) => disagreements.map(({ evaluatorKey }) => evaluatorKey))
  expect(names).toEqual(Array(3).fill([...lied.hostile][0]))
  expect(auditAlarms(lied.audit)).toBe(3)
})

test('an audit refutes work that is not what its solver committed, and agrees that it is worth nothing', async () => {
  // With some seeds, such as 2, most of its committee cannot get the work in time.
  const swarm = { seed: '3', peers: 8, rounds: 1, audited: true }
  const lied = await simulateSwarm({ ...swarm, conduct: number => (number === 7 ? { bend: sealingNothing } : null) })
  const audited = lied.audit?.rounds.flatMap(({ peers }) => peers) ?? []
  const [liar] = audited.filter(({ peerKey }) => lied.hostile.has(peerKey))
  expect(liar).toMatchObject({ settledMilli: 0, derivedMilli: 0, verdict: 'agrees' })
  expect(liar?.sampling).toMatchObject({ result: 'refuted', reason: 'malformed: no payload of rollouts' })
  expect(auditAlarms(lied.audit)).toBe(0)
})

/** A solver that commits to bytes that are not rollouts. */
function sealingNothing(node: PeerNode): PeerNode {
  const seal = (async (kind, payload) => {
    const sealed = await node.payloads.seal(kind, payload)
    return kind === 'rollouts' ? { ...sealed, bytes: Buffer.from('no rollouts') } : sealed
  }) as PeerNode['payloads']['seal']
  return { ...node, payloads: { ...node.payloads, seal } }
}

/** A seat that votes 300 thousandths less than it found. */
function lying(node: PeerNode): PeerNode {
  type Own = Omit<Ballot, 'evaluatorKey'>
  const lieOf = (ballot: Own) => ({ ...ballot, scoresMilli: ballot.scoresMilli.map(milli => Math.abs(milli - 300)) })
  const { commitVotes, revealVotes } = node.chain
  const chain = {
    ...node.chain,
    commitVotes: (ballot: Own) => commitVotes(lieOf(ballot)),
    revealVotes: (ballot: Own) => revealVotes(lieOf(ballot)),
  }
  return { ...node, chain }
}

testHostileSwarm('1')
