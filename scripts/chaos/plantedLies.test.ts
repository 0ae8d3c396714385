import { rewardVotesAbi } from '@waggle/deployments/abi'
import { decodeEventLog, encodeAbiParameters, encodeEventTopics, type Hex, parseAbiParameters } from 'viem'
import { afterEach, expect, test, vi } from 'vitest'
import { UNAVAILABLE } from '../../deployments/protocol.ts'
import { type PeerScore, payloadsHere, type RolloutBundle } from '../../node/src/core/payloads/payloads.ts'
import type { RoundAudit } from '../../node/src/roles/audit/auditRound.ts'
import type { Disagreement } from '../../node/src/roles/audit/disagreements.ts'
import { liars, lieVariables, type PeerLie } from './lies.ts'
import { lieAbout, tell } from './lyingEvaluator.ts'
import { morePoints, otherScores } from './lyingFacts.ts'
import { sealAnswers } from './lyingSolver.ts'
import { aboutRollouts, aboutVote, compareLies, findingsOf, type Lie, liesOfPeers, shareFound } from './plantedLies.ts'

afterEach(() => void vi.unstubAllEnvs())

const hash = `0x${'0a'.repeat(32)}` as const

const disagreement = (evaluatorKey: `0x${string}`, peerKey: `0x${string}`): Disagreement => ({
  ...{ evaluatorKey, peerKey, name: 'e', peerName: 's', voteMilli: 900, derivedMilli: 600 },
  ...{ level: 0, difference: null },
})
const audit = (round: number, ...disagreements: Disagreement[]): RoundAudit => ({
  ...{ round, tasks: 1, peers: [], disagreements, lackingBases: [] },
})

test('a lie counts as found once, and a true vote that is called one is a false alarm', () => {
  const planted = [1, 2].map((round): Lie => ({ kind: 'scores', about: aboutVote(round, '0xe1', '0xa1') }))
  const audits = [audit(1, disagreement('0xe1', '0xa1'), disagreement('0xe2', '0xa1')), audit(2)]
  const { kinds, falseAlarms } = compareLies(planted, findingsOf(audits))
  expect(kinds).toMatchObject({ scores: { planted: 2, found: 1 }, payload: { planted: 0, found: 0 } })
  expect(falseAlarms).toEqual(['round 1: e voted 900 on s, of 600 by the audit'])
})

test('of many lies the share counts, and a kind of which none was planted counts as missed', () => {
  const kind = (planted: number, found: number) => ({ planted, found })
  const found = { scores: kind(10, 10), favour: kind(6, 6), sampling: kind(2, 2), payload: kind(2, 2) }
  const all = { ...found, settlement: kind(2, 2), index: kind(2, 2) }
  expect(shareFound({ kinds: all, falseAlarms: [] }, 12)).toBe(12)
  expect(shareFound({ kinds: { ...all, index: kind(0, 0) }, falseAlarms: [] }, 12)).toBe(11)
  expect(shareFound({ kinds: { ...all, scores: kind(10, 5) }, falseAlarms: [] }, 12)).toBe(9)
})

test('lies of peers are false rollouts, and votes of the evaluator whose turn it is on honest ones', () => {
  const keys = { 'evaluator-1': '0xe1', 'evaluator-2': '0xe2', 'solver-1': '0xa1', 'solver-2': '0xa2' } as const
  const peers = Object.entries(keys).map(([slot, peerKey]) => ({ slot, peerKey }))
  const rounds = [5, 6].map(round => ({ round, peers: [{ peerKey: keys['solver-1'] }, { peerKey: keys['solver-2'] }] }))
  const votes = [5, 6].flatMap(round =>
    [keys['evaluator-1'], keys['evaluator-2']].map(evaluatorKey => ({
      ...{ round, evaluatorKey, shard: 0, scoresMilli: [round === 5 ? UNAVAILABLE : 400, 0] },
    })),
  )
  expect(liesOfPeers(peers, rounds, votes, 4)).toEqual([
    { kind: 'favour', about: aboutVote(5, '0xe2', '0xa2') },
    { kind: 'sampling', about: aboutRollouts(6, '0xa1') },
    { kind: 'scores', about: aboutVote(6, '0xe1', '0xa2') },
  ])
  expect(liesOfPeers(peers, rounds, votes, 7)).toEqual([])
})

const leaf = (index: number) => ({ index, components: { correct: 400 }, scoreMilli: 400 })
const score: PeerScore = { peerKey: '0x01', scoreMilli: 600, leaves: [leaf(0), leaf(1), leaf(2)] }

test('every lie is further off than votes may differ by, with all leaves, one or none', () => {
  const told = [1, 2, 3].map(() => lieAbout(score))
  expect(told.map(({ scoreMilli }) => scoreMilli)).toEqual([300, 300, 300])
  expect(told.map(({ leaves }) => leaves.filter(({ scoreMilli }) => scoreMilli !== 400).length)).toEqual([3, 1, 0])
})

test('a liar lies in its own way in its rounds, and is honest in the others', async () => {
  const as = (kind: PeerLie) => {
    vi.stubEnv(lieVariables.kind, kind)
    vi.stubEnv(lieVariables.fromRound, '6')
  }
  as('scores')
  expect([4, 6, 7].map(round => tell(round, score).scoreMilli)).toEqual([600, 300, 600])
  as('favour')
  expect([6, 7].map(round => tell(round, score).scoreMilli)).toEqual([600, 0])
  const rollout = { index: 0, promptTokens: Uint8Array.of(1, 0), completionTokens: Uint8Array.of(2, 0) } as const
  const drawn = { logprobs: new Uint8Array(4), seed: hash, sampling: { temperature: 1, maxNewTokens: 4 }, ended: true }
  const bundleOf = (round: number): RolloutBundle => ({
    ...{ v: 1, chainId: 1, round, peerKey: hash, policyHash: hash },
    groups: [{ taskRef: { peerKey: hash, index: 0 }, rollouts: [{ ...rollout, ...drawn }] }],
  })
  const sealed = async (round: number) => {
    const { bytes, tree } = await sealAnswers(payloadsHere, bundleOf(round))
    const opened = await payloadsHere.open('rollouts', bytes)
    return opened === null ? null : { logprobs: opened.payload.groups[0]?.rollouts[0]?.logprobs, root: tree[0] }
  }
  as('sampling')
  expect((await sealed(6))?.logprobs).toEqual(new Uint8Array(new Float32Array([-12]).buffer))
  expect((await sealed(7))?.logprobs).toEqual(new Uint8Array(4))
  as('payload')
  expect(await sealed(7)).toBeNull()
  expect(await sealed(8)).not.toBeNull()
  expect(new Set(Object.values(liars)).size).toBe(4)
})

test('an endpoint lies about the score of one settlement alone, and an index about the points of one peer alone', () => {
  const abi = rewardVotesAbi
  const data = encodeAbiParameters(parseAbiParameters('uint16, uint8, uint8'), [100, 3, 1])
  const logs = [6n, 7n].map(round => ({
    topics: encodeEventTopics({ abi, eventName: 'Settled', args: { round, peerKey: hash } }) as [Hex, ...Hex[]],
    data,
  }))
  const given = JSON.stringify([
    { id: 1, result: logs },
    { id: 2, result: '0x1' },
  ])
  const [{ result }, other] = JSON.parse(otherScores(given, [{ round: 7, peerKey: hash }]))
  const scores = (result as typeof logs).map(log => decodeEventLog({ abi, eventName: 'Settled', ...log }).args)
  expect(scores.map(({ scoreMilli, votes, outcome }) => [scoreMilli, votes, outcome])).toEqual([
    [100, 3, 1],
    [400, 3, 1],
  ])
  expect(other).toEqual({ id: 2, result: '0x1' })
  const items = [hash, '0x0b'].map(peerKey => ({ peerKey, pointsMilli: 500 }))
  const told = JSON.parse(morePoints(JSON.stringify({ data: { standings: { items } } }), [hash]))
  expect(told.data.standings.items.map((one: { pointsMilli: number }) => one.pointsMilli)).toEqual([1500, 500])
  expect(morePoints('{"data":{"_meta":{}}}', [hash])).toBe('{"data":{"_meta":{}}}')
})
