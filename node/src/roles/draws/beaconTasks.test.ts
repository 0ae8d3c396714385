import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import { type Hex, ZERO_HASH } from '#core/hex.ts'
import { packTokens } from '#core/payloads/packedTokens.ts'
import type { RolloutBundle } from '#core/payloads/payloads.ts'
import type { PeerAnswers, RoundTask, Stages } from '#environments/environment.ts'
import type { WantedPayload } from '../fetch/holders.ts'
import type { PeerNode } from '../peerNode.ts'
import { beaconTasks, type RuledBy, STAGE_ROUNDS, type StageSource, stageSource } from './beaconTasks.ts'
import { drawTasks } from './drawTasks.ts'

const key = (byte: number) => `0x${byte.toString(16).padStart(2, '0').repeat(32)}` as Hex
const [chainId, hash] = [31337, key(0xee)]
const QUESTIONS = 3
/** A question of the seed, whose text says which. */
const questionsOf = async (seed: Hex): Promise<RoundTask[]> =>
  Array.from({ length: QUESTIONS }, (_, at) => ({ text: `${seed} ${at}`, level: 1, problem: { at } }))
const stages: Stages = {
  count: 3,
  peers: 2,
  laterTasks: (questions, { stage }, answers) =>
    questions.map((question, at) =>
      answers[at]?.includes(null)
        ? null
        : { ...question, problem: { at, stage, answers: answers[at] as PeerAnswers[] } },
    ),
}
const environment = {
  ...{ hash, stages, roundTasks: questionsOf, spec: { tasksPerRound: QUESTIONS } },
  format: { tokenBytes: 2, vocabSize: 1_000, completionText: async (tokens: Int32Array) => `says ${tokens.join()}` },
} as unknown as RuledBy
const commitment = (peer: number) =>
  ({ peerKey: key(peer), root: hash, contentId: hash, count: 3 }) as RolloutCommitment

/** An answer of a peer in a round: its key and the place of the answer. */
function bundleOf(peer: number): RolloutBundle {
  const rollout = (at: number) => ({ completionTokens: packTokens(Int32Array.of(peer, at)), ended: true })
  const groups = Array.from({ length: QUESTIONS }, (_, at) => ({
    taskRef: { peerKey: ZERO_HASH, index: 0 },
    rollouts: [rollout(at)],
  }))
  return { v: 1, chainId, round: 0, peerKey: key(peer), policyHash: hash, groups } as unknown as RolloutBundle
}

type Scene = { points?: Record<number, number>; absent?: number[]; played?: Hex; voidRounds?: number[] }
function sourceOf({ points = { 1: 500, 2: 700 }, absent = [], played = hash, voidRounds = [] }: Scene = {}) {
  const asked: [number, Hex][] = []
  const source: StageSource = {
    reads: {
      readBeacon: async round =>
        ({ state: 'drawn', hash: voidRounds.includes(round) ? null : key(0x80 + round) }) as never,
      readEnvironment: async () => played,
      readRolloutCommitments: async () => Object.keys(points).map(peer => commitment(Number(peer))),
      readSettlements: async () =>
        Object.entries(points).map(([peer, scoreMilli]) => ({ peerKey: key(Number(peer)), scoreMilli }) as never),
    },
    async fetch(round, { peerKey }) {
      asked.push([round, peerKey])
      const peer = Number(peerKey.slice(0, 4))
      return absent.includes(peer) ? null : bundleOf(peer)
    },
  }
  return { source, asked }
}
const drawn = (round: number, scene?: Scene) => {
  const { source, asked } = sourceOf(scene)
  const at = { chainId, round, beacon: key(0x80 + round - 1) }
  return beaconTasks(environment, at, 0, source).then(tasks => ({ tasks, asked }))
}
const textsOf = (tasks: Awaited<ReturnType<typeof drawn>>['tasks']) => tasks.map(({ text }) => text)

test('stages of an episode ask the questions of its first round, and episodes overlap', async () => {
  const rounds = await Promise.all(
    [2, 2 + STAGE_ROUNDS, 2 + 2 * STAGE_ROUNDS, 2 + 3 * STAGE_ROUNDS, 3].map(round => drawn(round)),
  )
  const [first, second, third, next, other] = rounds.map(({ tasks }) => textsOf(tasks))
  expect(second).toEqual(first)
  expect(third).toEqual(first)
  expect(next).not.toEqual(first)
  expect(other).not.toEqual(first)
  expect(rounds.map(({ tasks: [task] }) => (task as { problem: { stage?: number } }).problem.stage)).toEqual([
    undefined,
    1,
    2,
    undefined,
    undefined,
  ])
  expect(rounds[0]?.asked).toEqual([])
})

test('the answer of a peer is the one that it committed for the question, which the beacon of that round drew for it', async () => {
  const { tasks, asked } = await drawn(6)
  expect(asked.toSorted()).toEqual([
    [2, key(1)],
    [2, key(2)],
  ])
  const places = tasks.map(({ taskHash, ref, level, text, problem }) => ({ taskHash, ref, level, text, problem }))
  const rules = { spec: { tasksPerRound: QUESTIONS }, places, beacon: key(0x81) }
  for (const [question, { problem }] of tasks.entries()) {
    const { answers } = problem as { answers: PeerAnswers[] }
    const due = [1, 2].map(
      peer => `says ${peer},${drawTasks(chainId, 2, key(peer), rules).findIndex(({ ref }) => ref.index === question)}`,
    )
    expect(answers.flatMap(one => one?.map(({ text }) => text)).toSorted()).toEqual(due)
  }
})

test('answers are of peers with points, and so many of them as the environment draws', async () => {
  const some = await drawn(6, { points: { 1: 0, 2: 700 } })
  expect(some.asked).toEqual([[2, key(2)]])
  expect((await drawn(6, { points: { 1: 1, 2: 1, 3: 1, 4: 1 } })).asked).toHaveLength(2)
  const none = await drawn(6, { points: {} })
  expect(none.tasks.map(({ problem }) => (problem as { answers: unknown[] }).answers)).toEqual([[], [], []])
})

test('answers that are not available leave their tasks unknown and in their place', async () => {
  const { tasks } = await drawn(6, { absent: [2] })
  expect(tasks.map(({ isUnknown, text }) => [isUnknown, text])).toEqual(
    textsOf((await drawn(2)).tasks).map(text => [true, text]),
  )
  expect((await drawn(6)).tasks.every(({ isUnknown }) => isUnknown === undefined)).toBe(true)
})

test('a round stands for itself where its episode began in a void round, and quotes nothing of other rules', async () => {
  const alone = await drawn(6, { voidRounds: [1] })
  expect(textsOf(alone.tasks)).not.toEqual(textsOf((await drawn(6)).tasks))
  expect(alone.asked).toEqual([])
  const changed = await drawn(6, { played: key(0xdd) })
  expect(changed.asked).toEqual([])
  expect(changed.tasks.every(({ problem }) => (problem as { answers: unknown[] }).answers.length === 0)).toBe(true)
})

test('an environment without stages asks for nothing, and one with them for a source', async () => {
  const at = { chainId, round: 6, beacon: key(0x85) }
  expect(await beaconTasks({ ...environment, stages: null }, at, 0, undefined)).toHaveLength(QUESTIONS)
  await expect(beaconTasks(environment, at, 0, undefined)).rejects.toThrow('needs a source')
})

test('quoted answers are requested from the seats that scored their peer as well', async () => {
  const asked: WantedPayload[] = []
  const votes = [
    { evaluatorKey: key(0xe1), shard: 0, scoresMilli: [700, UNAVAILABLE] },
    { evaluatorKey: key(0xe2), shard: 0, scoresMilli: [UNAVAILABLE, 500] },
  ]
  const node = {
    chain: { readRevealedVotes: async () => votes },
    fetchPlan: {
      visitEach: (wanted: WantedPayload[]) => {
        asked.push(...wanted)
        return wanted.map(async one => ({ wanted: one, result: { ok: false, fault: 'unavailable', reason: '' } }))
      },
    },
  } as unknown as PeerNode
  const { fetch } = stageSource(node, new AbortController().signal)
  expect(await fetch(2, { ...commitment(1), ordinal: 0 })).toBeNull()
  expect(await fetch(2, { ...commitment(2), ordinal: 1 })).toBeNull()
  expect(asked.map(({ keepers }) => keepers)).toEqual([[key(0xe1)], [key(0xe2)]])
})
