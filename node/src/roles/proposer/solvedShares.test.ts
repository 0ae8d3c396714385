import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import type { Settlement } from '#chain/votes/readSettlements.ts'
import { contentId } from '#core/contentId.ts'
import type { Hex } from '#core/hex.ts'
import { encodeScoreSheet, type PeerScore, payloadsHere, type ScoreSheet } from '#core/payloads/payloads.ts'
import { encodeProposal } from '#core/payloads/taskProposal.ts'
import { codeZero } from '#environments/codezero/codeZero.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import type { CodeZeroFormat } from '#environments/codezero/promptFormat.ts'
import type { Environment } from '#environments/environment.ts'
import { roundRules } from '../draws/checkRollouts.ts'
import { sampledLeaves } from '../draws/drawCommittee.ts'
import { admitTasks, drawTasks } from '../draws/drawTasks.ts'
import type { FetchPlan } from '../fetch/fetchPlan.ts'
import { peerFault } from '../fetch/peerResult.ts'
import type { PeerNode } from '../peerNode.ts'
import { readSolvedShares, sharesOf } from './solvedShares.ts'

const keyOf = (digit: number): Hex => `0x${String(digit).repeat(64)}`
const [own, other, solver, second, unscored] = [1, 2, 3, 4, 5].map(keyOf) as [Hex, Hex, Hex, Hex, Hex]
const [beacon, before, chainId, round] = [keyOf(9), keyOf(8), 31337, 6]
const format = { solverPrompt: async () => new Int32Array(1) } as unknown as CodeZeroFormat
const spec = environmentFrom('qwen', {
  ...{ tasksPerRound: 3, groupSize: 4, owedLeaves: 12, sampledLeaves: 12, repairing: 0 },
  tasks: 'wellFormed',
})
const environment = codeZero({
  ...{ spec, format, solverFolder: '', judgeModel: null },
  openCodeJudge: () => Promise.reject(new RangeError('not asked')),
}) as Environment

const adds = (constant: number) => `Write f(a, b). Return a plus b, then add ${constant}.\nassert f(1, 2) == 3`
/** The last place of the own proposal asks for what a place before it does: it does not count. */
const proposals = [
  { peerKey: own, secret: own, count: 3, bytes: encodeProposal({ level: 1, texts: [adds(2), adds(3), adds(2)] }) },
  { peerKey: other, secret: own, count: 2, bytes: encodeProposal({ level: 1, texts: [adds(5), adds(6)] }) },
]
const rules = await roundRules(
  environment,
  { chainId, round, beacon: before },
  await admitTasks(proposals, environment),
)

/** Score sheet of a solver: for own tasks a score by the place, for tasks of others one. */
function peerScore(peerKey: Hex, scoreMilli: number, ofOwn: Record<number, readonly number[]>) {
  const owed = drawTasks(chainId, round, peerKey, rules)
  const leaves = sampledLeaves(chainId, round, beacon, peerKey, spec).flatMap(index => {
    const ref = owed[Math.floor(index / spec.groupSize)]?.ref
    const milli = ref?.peerKey === own ? ofOwn[ref.index]?.[index % spec.groupSize] : 777
    return milli === undefined ? [] : [{ index, components: { right: milli }, scoreMilli: milli }]
  })
  return { peerKey, scoreMilli, leaves: leaves.sort((a, b) => a.index - b.index) }
}

type Seat = {
  key: Hex
  votes: readonly number[]
  peers: ScoreSheet['peers']
  of?: Partial<ScoreSheet>
  isAway?: boolean
}

function read(seats: readonly Seat[], settlements: readonly (readonly [Hex, number, Settlement['outcome']])[]) {
  const scoreSheets = seats.map(({ key, peers, of = {} }) =>
    encodeScoreSheet({ ...{ v: 1, chainId, round, evaluatorKey: key, peers }, ...of }),
  )
  const idOf = (at: number) => contentId(scoreSheets[at] as Uint8Array)
  const visit = (async (wanted, _, work) =>
    Promise.all(
      wanted.map(async one => {
        const at = seats.findIndex(({ key }) => key === one.peerKey)
        const result = seats[at]?.isAway
          ? peerFault('unavailable', 'away')
          : await work(scoreSheets[at] as Uint8Array, one)
        return { wanted: one, result }
      }),
    )) as FetchPlan['visit']
  const chain = {
    readBeacon: async (at: number) => ({ state: 'drawn', hash: at === round ? beacon : before }),
    readProposals: async () => proposals,
    readSettlements: async () =>
      settlements.map(([peerKey, scoreMilli, outcome]) => ({ peerKey, scoreMilli, outcome, votes: 2, block: 1 })),
    readRolloutCommitments: async () => [solver, second, unscored].map((peerKey, ordinal) => ({ peerKey, ordinal })),
    readRevealedVotes: async () =>
      seats.map(({ key, votes }, at) => ({
        ...{ evaluatorKey: key, shard: 0, scoresMilli: votes, componentRoots: [], contentId: idOf(at), block: 1 },
      })),
  }
  const node = { chain, chainId, environment, identity: { peerKey: own }, payloads: payloadsHere, fetchPlan: { visit } }
  return readSolvedShares(node as unknown as PeerNode, round, new AbortController().signal)
}

const scored = [
  [solver, 600, 'scored'],
  [second, 500, 'scored'],
  [unscored, 0, 'no quorum'],
] as const
/** With all places answered by both: scores of 200 are of form alone. */
const said = { 0: [200, 200, 1000, 1000], 1: [200, 200, 200, 200] }
const wholly = { 0: [1000, 1000, 1000, 1000], 1: [1000, 1000, 1000, 1000] }
const honest = (key: Hex): Seat => ({
  key,
  votes: [600, 500, 0],
  peers: [peerScore(solver, 600, said), peerScore(second, 500, said), peerScore(unscored, 0, wholly)],
})

test('the share of a task that was solved is the mean of its scored answers, as score sheets behind agreeing votes have them', async () => {
  const answered = [solver, second].flatMap(key => drawTasks(chainId, round, key, rules).map(({ ref }) => ref))
  const ownPlaces = new Set(answered.flatMap(({ peerKey, index }) => (peerKey === own ? [index] : [])))
  expect([...ownPlaces].sort()).toEqual([0, 1])
  const { shares, missing } = await read([honest(keyOf(6)), honest(keyOf(7))], scored)
  expect(missing).toBe(0)
  expect(shares.get(0)).toBeCloseTo(0.5, 6)
  expect(shares.get(1)).toBe(0)
  expect(shares.size).toBe(2)
})

test('a leaf that breaks the rule says nothing about its task', async () => {
  const broken = (peer: PeerScore): PeerScore => ({
    ...peer,
    leaves: peer.leaves.map(leaf => ({ ...leaf, components: {}, scoreMilli: 0 })),
  })
  const seat = honest(keyOf(6))
  const { shares } = await read([{ ...seat, peers: seat.peers.map(broken) }], scored)
  expect(shares.size).toBe(0)
})

test('false score sheets and unsettled scores move nothing: others, another round, and votes that disagree are left out', async () => {
  const lies = [peerScore(solver, 600, wholly), peerScore(second, 500, wholly)]
  const voted = [600, 500, 0]
  const liars: Seat[] = [
    // Its vote is far from what was settled; its score sheet is not what it voted, of another evaluator, or of another round.
    { key: keyOf(3), votes: [1000, 1000, 0], peers: lies.map(peer => ({ ...peer, scoreMilli: 1000 })) },
    { key: keyOf(4), votes: voted, peers: lies.map(peer => ({ ...peer, scoreMilli: 900 })) },
    { key: keyOf(5), votes: voted, peers: lies, of: { evaluatorKey: keyOf(6) } },
    { key: keyOf(8), votes: voted, peers: lies, of: { round: round - 1 } },
    { key: keyOf(9), votes: [UNAVAILABLE, UNAVAILABLE, 0], peers: lies },
  ]
  for (const liar of liars) expect(await read([liar], scored)).toEqual({ shares: new Map(), missing: 0 })
  // One that votes like the others and lies about single answers is outvoted by two.
  const liar = { key: keyOf(5), votes: voted, peers: lies }
  expect((await read([liar, honest(keyOf(6)), honest(keyOf(7))], scored)).shares.get(1)).toBe(0)
  const nobody = scored.map(([key, milli]) => [key, milli, 'no quorum'] as const)
  expect(await read([honest(keyOf(6))], nobody)).toEqual({ shares: new Map(), missing: 0 })
  expect(await read([], scored)).toEqual({ shares: new Map(), missing: 0 })
})

test('score sheets that are away are counted, and single answers or void places say nothing', async () => {
  const away = await read([honest(keyOf(6)), { ...honest(keyOf(7)), isAway: true }], scored)
  expect(away.missing).toBe(1)
  expect(away.shares.get(0)).toBeCloseTo(0.5, 6)
  const answer = (place: number, ...scoresMilli: number[]) => ({ place, scoresMilli })
  const shares = sharesOf([answer(0, 1000), answer(1), answer(1, 200, 400), answer(1, 600)], score => score)
  expect([...shares]).toEqual([[1, 0.45]])
})
