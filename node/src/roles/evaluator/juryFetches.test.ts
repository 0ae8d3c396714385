import { phase, UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import type { AppealCase } from '#chain/challenges/appeals.ts'
import { systemClock } from '#core/clock.ts'
import { contentId } from '#core/contentId.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { payloadsHere } from '#core/payloads/payloads.ts'
import { encodeProposal } from '#core/payloads/taskProposal.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { codeZero } from '#environments/codezero/codeZero.ts'
import { drawTrainingTask } from '#environments/codezero/curriculum/drawTask.ts'
import { formatProposal } from '#environments/codezero/parseProposal.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import { starterFormat } from '#environments/codezero/promptFormat.ts'
import { starterSpecials } from '#environments/codezero/prompts.ts'
import { seededRandom } from '#environments/seededRandom.ts'
import type { FetchPayload, PayloadRequest } from '#p2p/transfer/payloadTransfer.ts'
import type { DrawsRequest } from '#rl/policy/policyProtocol.ts'
import type { Models } from '../checking/proofs.ts'
import { roundRules } from '../draws/checkRollouts.ts'
import { admitTasks } from '../draws/drawTasks.ts'
import { fetchLimits } from '../fetch/fetchLimits.ts'
import { createFetchPlan } from '../fetch/fetchPlan.ts'
import type { PeerNode } from '../peerNode.ts'
import { answerRound } from '../solver/answerRound.ts'
import { judgeAppeals } from './judgeAppeals.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const [chainId, round, account] = [31_337, 7, word('0a')]
const [before, beacon] = [word('33'), word('44')]
const opened = round + phase.settling
/** One token a character. */
const tokenizer = {
  vocabSize: 300,
  encode: (text: string) => Int32Array.from([...text], character => starterSpecials.length + character.charCodeAt(0)),
  decode: (ids: ArrayLike<number>) => String.fromCharCode(...Array.from(ids, id => id - starterSpecials.length)),
  special: (name: string) => starterSpecials.indexOf(name as (typeof starterSpecials)[number]),
}
const sizes = { tasksPerRound: 2, groupSize: 2, owedLeaves: 4, sampledLeaves: 4 }
const environment = codeZero({
  spec: environmentFrom('starter', sizes),
  format: starterFormat(tokenizer),
  solverFolder: '',
  judgeModel: { folder: '', precision: 'float32', weightsHash: null },
  openCodeJudge: async () => ({ predictCorrectness: async pairs => pairs.map(() => 1) }),
})
const random = seededRandom('a jury')
const texts = Array.from({ length: 4 }, () => drawTrainingTask(3, random)).map(problem =>
  formatProposal({ problem, tests: [`assert ${problem.name}([1]) == 1`] }),
)
const proposals = [{ peerKey: word('11'), secret: word('12'), count: 4, bytes: encodeProposal({ level: 3, texts }) }]
const models = {
  judge: {
    score: async (answers: readonly unknown[]) =>
      answers.map(() => ({ components: { right: 1 }, score: 0.7, correctness: 1 })),
  },
  reader: {
    // Every token is certain, so that any race draws it.
    readDraws: async ({ sequences }: Pick<DrawsRequest, 'sequences'>) => ({
      draws: sequences.map(({ tokens, from }) => {
        const zeros = new Float32Array(tokens.length - from)
        return { logprob: zeros, behind: zeros, behindAtLeast: zeros, unsure: zeros, rivals: zeros }
      }),
      maxPositions: 512,
    }),
  },
}

/** The models, one of which throws. */
function modelsOf(broken?: 'judge' | 'reader'): Models {
  const fail = async () => {
    throw new Error('out of memory')
  }
  const { judge, reader } = models
  return {
    judge: (broken === 'judge' ? { score: fail } : judge) as unknown as Models['judge'],
    reader: (broken === 'reader' ? { readDraws: fail } : reader) as unknown as Models['reader'],
  }
}

/** Commitment of a peer: its rollouts, and its policy by the name that the chain has. */
async function workOf(author: string) {
  const peerKey = peerKeyOf(author)
  const policy = new TextEncoder().encode(`the policy of ${author}`)
  const tokens = Int32Array.of(...tokenizer.encode('def f(): pass'), tokenizer.special('<eos>'))
  const logprobs = new Float32Array(tokens.length)
  const sampler = {
    weightsHash: async () => contentId(policy) as Hex,
    generate: async () => Array.from({ length: 4 }, (_, at) => ({ prompt: at >> 1, tokens, logprobs, ended: true })),
  }
  const rules = await roundRules(
    environment,
    { chainId, round, beacon: before },
    await admitTasks(proposals, environment),
  )
  const bundle = await answerRound(sampler as never, { chainId, round, peerKey }, rules)
  const { bytes, tree } = await payloadsHere.seal('rollouts', bundle)
  const commitment = {
    peerKey,
    root: tree[0] as Hex,
    count: 4,
    policyHash: contentId(policy),
    contentId: contentId(bytes),
  }
  return { commitment, payloads: [bytes, policy] }
}

type Scene = {
  /** Peers by what they answer: payloads that they keep, each of them once before they never end, or that they cannot be reached, or never end. */
  peers: Record<string, 'all' | 'once' | 'nothing' | 'away' | 'endless'>
  /** Peers whose policies the disk does not take. */
  unkept?: string[]
  /** The part of this juror's machine that fails. */
  broken?: 'judge' | 'reader'
  /** Facts that the endpoint does not have yet. */
  lacking?: 'beacons' | 'commitments'
  /** Reads of the chain that fail the first time. */
  failing?: string[]
  /** Peers whose scores are appealed. */
  authors?: string[]
  roundMs?: number
  /** Verdicts after which the time is up. */
  inTime?: number
  /** Seats of the committee by the score that they gave all authors, or each. 700 was settled. */
  votes: Record<string, number | number[]>
  /** Seats of a first jury by what they found, where the appeal is a second one. */
  first?: Record<string, number>
  /** Earlier appeals of the authors' scores, by their place, with what each of eleven jurors found. */
  judgedBefore?: { author: number; found: number }[]
}

/** Verdicts that a seat of a jury gives, and whom it asked. */
async function judged({
  peers,
  authors = ['author'],
  votes,
  first,
  roundMs = 800,
  inTime,
  unkept = [],
  failing = [],
  judgedBefore = [],
  lacking,
  broken,
}: Scene) {
  const works = await Promise.all(authors.map(workOf))
  const payloads = new Map(works.flatMap(({ payloads }) => payloads.map(bytes => [contentId(bytes), bytes] as const)))
  const kept = new Map<Hex, Uint8Array>()
  const asked = new Set<string>()
  const answers = new Set<Hex>()
  const [ended, time] = [new AbortController(), AbortSignal.timeout(Math.floor((roundMs * 5) / 6))]
  const endless = ({ signal }: PayloadRequest) =>
    new Promise<'timeout'>(resolve => signal.addEventListener('abort', () => resolve('timeout')))
  const fetchPayload: FetchPayload = async request => {
    asked.add(request.peer)
    const says = peers[request.peer] ?? 'away'
    const before = answers.has(request.contentId)
    answers.add(request.contentId)
    if (says === 'endless' || (says === 'once' && before)) return endless(request)
    return says === 'away'
      ? 'unreachable'
      : says === 'nothing'
        ? 'not-found'
        : (payloads.get(request.contentId) ?? 'not-found')
  }
  const names = [...authors, ...Object.keys(peers)]
  const chain = {
    account,
    readAppeals: async () =>
      works.map(({ commitment: { peerKey } }) => {
        const level = first === undefined ? 1 : 2
        const openedRound = first === undefined ? opened : opened + phase.settling
        return { round, peerKey, level, openedRound, closesFrom: 99, isClosed: false, settledMilli: 700 } as AppealCase
      }),
    readBeacon: async (of: number) =>
      lacking === 'beacons' && of <= round
        ? { state: 'none', hash: null }
        : { state: 'drawn', hash: of === round ? beacon : before },
    readJury: async () => [word('5e')],
    readAccountOf: async () => word('0b'),
    async readRolloutCommitments() {
      reads.push('commitments')
      const failed = failing.indexOf('commitments')
      if (failed >= 0) throw new Error(`${failing.splice(failed, 1)} cannot be read`)
      if (lacking === 'commitments') return []
      return works.map(({ commitment }, ordinal) => ({ ...commitment, ordinal, block: 1 }))
    },
    readRevealedVotes: async () =>
      reads.push('votes') &&
      Object.entries(votes).map(([seat, milli]) => ({
        ...{ evaluatorKey: peerKeyOf(seat), shard: 0 },
        scoresMilli: works.map((_, at) => (typeof milli === 'number' ? milli : milli[at])),
      })),
    readVerdicts: async () =>
      Object.entries(first ?? {}).map(([seat, scoreMilli]) => ({ seatKey: peerKeyOf(seat), scoreMilli })),
    readJudgedAppeals: async () =>
      judgedBefore.map(({ author, found }) => ({
        ...{ round, peerKey: works[author]?.commitment.peerKey, drawn: 11 },
        verdicts: new Array<number>(11).fill(found),
      })),
    readSettlements: async () =>
      works.map(({ commitment: { peerKey } }) => ({ peerKey, outcome: 'scored', scoreMilli: 700 })),
    readPolicies: async () => new Map(works.map(({ commitment: { peerKey, policyHash } }) => [peerKey, policyHash])),
    readProposals: async () => reads.push('proposals') && proposals,
    readPeerId: async (key: Hex) => names.find(name => peerKeyOf(name) === key) ?? null,
    giveVerdict({ peerKey, scoreMilli }: { peerKey: Hex; scoreMilli: number }) {
      verdicts.set(peerKey, scoreMilli)
      if (verdicts.size === inTime) ended.abort()
      return { sealed: Promise.resolve({}), opened: Promise.resolve({}) }
    },
  }
  const verdicts = new Map<Hex, number>()
  const reads: string[] = []
  const bundles = {
    has: (id: Hex) => kept.has(id),
    renew: async () => {},
    get: async (id: Hex) => kept.get(id) ?? null,
    keep: async (bytes: Uint8Array, _: number, { peerKey, kind }: { peerKey: Hex; kind: string }) => {
      if (kind === 'policy' && unkept.some(name => peerKeyOf(name) === peerKey)) return 'over quota' as const
      kept.set(contentId(bytes), bytes)
      return null
    },
  }
  const network = { peerId: 'self', announcements: () => [], connectedPeers: () => [], fetchPayload }
  const modules = { network, bundles, readPeerId: chain.readPeerId, clock: systemClock, logger: silentLogger }
  const { signal } = new AbortController()
  // Endless answers keep the pace, as those of one who means it do.
  const limits = { ...fetchLimits, pace: { ...fetchLimits.pace, graceMs: 1e9 } }
  const rules = { maxBytes: () => 1 << 20, opensAtMs: () => 0, roundMs: () => roundMs, limits }
  const fetchPlan = createFetchPlan({ ...modules, signal }, rules)
  const identity = { peerKey: word('5e') }
  const node = {
    ...{ chain, chainId, environment, fetchPlan, identity, bundles, payloads: payloadsHere, clock: systemClock },
    ...{ logger: silentLogger, signal, playsIn: async () => true },
  } as unknown as PeerNode
  const at = opened + phase.voting + (first === undefined ? 0 : phase.settling)
  const failure = await judgeAppeals(node, modelsOf(broken), at, AbortSignal.any([time, ended.signal])).catch(
    (error: Error) => error.message,
  )
  return { failure, found: authors.map(name => verdicts.get(peerKeyOf(name))), asked: [...asked], reads }
}

test('a jury finds what its author does not give at the seats that scored it', async () => {
  const votes = { 'seat 1': UNAVAILABLE, 'seat 2': 700, 'seat 3': UNAVAILABLE }
  const { found, asked } = await judged({ peers: { 'seat 1': 'nothing', 'seat 2': 'all' }, votes })
  expect(found).toEqual([700])
  // A seat that found nothing has nothing.
  expect(asked.sort()).toEqual(['author', 'seat 2'])
})

test('a jury that finds the work nowhere says so, and only then', async () => {
  const votes = { 'seat 1': 700, 'seat 2': 700, 'seat 3': UNAVAILABLE }
  const { found, asked } = await judged({ peers: { author: 'nothing', 'seat 1': 'nothing', 'seat 2': 'away' }, votes })
  expect(found).toEqual([UNAVAILABLE])
  expect(asked.sort()).toEqual(['author', 'seat 1', 'seat 2'])
  expect((await judged({ peers: { author: 'all' }, votes: {} })).found).toEqual([700])
})

test('an author and seats whose answers never end take no verdict from others, nor from a jury that one honest seat serves', async () => {
  const peers = { slow: 'endless', author: 'all', 'seat 1': 'endless', 'seat 2': 'endless' } as const
  const votes = { 'seat 1': 1000, 'seat 2': 1000 }
  const both = await judged({ peers, authors: ['slow', 'author'], votes })
  expect(both.found).toEqual([UNAVAILABLE, 700])
  const served = await judged({
    peers: { ...peers, 'seat 3': 'all' },
    authors: ['slow'],
    votes: { ...votes, 'seat 3': 0 },
  })
  expect(served.found).toEqual([700])
})

test('a juror whose own time is up before it has looked says nothing', async () => {
  const peers = { slow: 'endless', author: 'all' } as const
  const scene = { peers, authors: ['slow', 'author'], votes: {} }
  const { found, asked } = await judged({ ...scene, roundMs: 600_000, inTime: 1 })
  expect(asked).toContain('slow')
  expect(found).toEqual([undefined, 700])
})

test('a juror whose endpoint lags behind says nothing, and not that the work is missing', async () => {
  for (const lacking of ['beacons', 'commitments'] as const)
    expect((await judged({ peers: { author: 'all' }, votes: {}, lacking })).found).toEqual([undefined])
})

test('a juror whose own machine fails says nothing, and not that the work is missing', async () => {
  for (const broken of ['judge', 'reader'] as const)
    expect((await judged({ peers: { author: 'all' }, votes: {}, broken, roundMs: 60_000 })).found).toEqual([undefined])
})

test('a juror that has no time for all reads first what most seats of the committee dispute', async () => {
  const authors = Array.from({ length: 12 }, (_, at) => `author ${at}`)
  const peers = Object.fromEntries(authors.map(name => [name, 'all'] as const))
  const agreed = authors.map(() => 700)
  const votes = {
    'seat 1': agreed.with(8, 1000).with(9, 0),
    'seat 2': agreed.with(9, 0),
    'seat 3': [...agreed].fill(UNAVAILABLE, 2, 4),
  }
  const { found } = await judged({ peers, authors, votes, roundMs: 600_000, inTime: 2 })
  expect(found.flatMap((score, at) => (score === undefined ? [] : [at]))).toEqual([8, 9])
  expect((await judged({ peers, authors, votes, roundMs: 600_000, inTime: 1 })).found[9]).toBe(700)
})

test('a juror reads disputes of seats that juries contradicted no earlier than scores that nobody disputes', async () => {
  const authors = Array.from({ length: 12 }, (_, at) => `author ${at}`)
  const peers = Object.fromEntries(authors.map(name => [name, 'all'] as const))
  const agreed = authors.map(() => 700)
  const votes = {
    'seat 1': agreed.with(8, 0).with(1, 1000),
    'seat 2': agreed.map((_, at) => (at === 8 || at === 9 ? 700 : 1000)),
    'seat 3': agreed.with(9, 1000),
  }
  const scene = { peers, authors, votes, roundMs: 600_000, inTime: 2 }
  // A jury confirmed a score that seat 2 disputes.
  const { found } = await judged({ ...scene, judgedBefore: [{ author: 2, found: 700 }] })
  expect(
    found.flatMap((score, at) => (score === undefined ? [] : [at])).filter(at => [1, 8, 9].includes(at)),
  ).toHaveLength(2)
  // Two seats dispute that one's.
  expect((await judged({ ...scene, inTime: 1 })).found[1]).toBe(700)
})

test('a second jury asks the seats of the first as well', async () => {
  const { found, asked } = await judged({
    peers: { 'seat 1': 'away', 'juror 1': 'all', 'juror 2': 'nothing' },
    votes: { 'seat 1': 700 },
    first: { 'juror 1': 700, 'juror 2': UNAVAILABLE },
  })
  expect(found).toEqual([700])
  expect(asked).not.toContain('juror 2')
})

test('facts that all scores of a round share are read once, however many are appealed', async () => {
  const authors = Array.from({ length: 12 }, (_, at) => `author ${at}`)
  const peers = Object.fromEntries(authors.map(name => [name, 'all'] as const))
  const { found, reads } = await judged({ peers, authors, votes: { 'seat 1': 700 } })
  expect(found.filter(score => score === 700).length).toBeGreaterThan(0)
  expect(reads.sort()).toEqual(['commitments', 'proposals', 'votes'])
})

test('a policy that the disk does not take is asked for once: an author that never ends a second answer takes no verdict from others', async () => {
  const peers = { once: 'once', author: 'all' } as const
  const { found } = await judged({ peers, authors: ['once', 'author'], unkept: ['once'], votes: {} })
  expect(found).toContain(700)
})

test('a read that fails costs the verdict that began it, and not those that waited for it', async () => {
  const authors = ['author 1', 'author 2']
  const peers = Object.fromEntries(authors.map(name => [name, 'all'] as const))
  const { found, failure } = await judged({
    peers,
    authors,
    votes: {},
    failing: ['commitments', 'commitments', 'commitments'],
  })
  expect(found).toEqual([undefined, 700])
  expect(failure).toBe('commitments cannot be read')
})
