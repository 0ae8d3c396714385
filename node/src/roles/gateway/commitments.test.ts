import { expect, test } from 'vitest'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { type Committed, commitmentTo, committedBy, createCommitments } from './commitments.ts'

const key = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`

test('all peers of a large swarm are looked up in one walk of its commitments', () => {
  let reads = 0
  const committed = Array.from({ length: 5_000 }, (_, n) => ({
    ...{ root: key(n), count: 8, contentId: key(2 * n), policyHash: key(3 * n) },
    get peerKey() {
      reads += 1
      return key(n)
    },
  })) satisfies Committed[]
  const found = Array.from({ length: 5_000 }, (_, n) =>
    commitmentTo(committed, 'rollouts', { peerKey: key(n), contentId: key(2 * n) }),
  )
  expect(found.every(one => one !== undefined)).toBe(true)
  expect(reads).toBe(5_000)
  expect(committedBy(committed, key(9_999))).toEqual([])
})

test('an evaluator of several payloads is bound to each, and a canary to the policy of its rollouts', () => {
  const of = (contentId: Hex) => ({ peerKey: key(1), root: key(0), count: 0, contentId, policyHash: key(7) })
  const committed = [of(key(1)), of(key(2))]
  for (const one of committed) expect(commitmentTo(committed, 'scores', one)).toBe(one)
  expect(commitmentTo(committed, 'scores', of(key(3)))).toBeUndefined()
  expect(commitmentTo(committed, 'canary', of(key(9)))).toBe(committed[0])
  expect(commitmentTo(committed, 'canary', { ...of(key(9)), policyHash: key(8) })).toBeUndefined()
})

test('rounds of a large swarm are forgotten sooner than those of a small one', async () => {
  for (const [peers, again] of [
    [10, false],
    [60_000, true],
  ] as const) {
    const reads: number[] = []
    const chain = {
      readRevealedVotes: async () => [],
      async readRolloutCommitments(round: number) {
        reads.push(round)
        return Array<RolloutCommitment>(peers).fill({} as RolloutCommitment)
      },
    }
    const { read } = createCommitments({ chain, clock: createManualClock(), currentRound: () => 100 })
    for (let round = 0; round < 5; round++) await read(round, 'rollouts')
    await read(4, 'rollouts')
    await read(0, 'rollouts')
    expect(reads).toEqual(again ? [0, 1, 2, 3, 4, 0] : [0, 1, 2, 3, 4])
  }
})

test('an empty list of an old round is never kept for good, and another is', async () => {
  let reads = 0
  const chain = {
    readRevealedVotes: async () => [],
    readRolloutCommitments: async () => (reads++ === 0 ? [] : [{} as RolloutCommitment]),
  }
  const clock = createManualClock()
  const { read } = createCommitments({ chain, clock, currentRound: () => 100 })
  expect(await read(5, 'rollouts')).toEqual([])
  for (let day = 0; day < 2; day++) {
    clock.advance(86_400_000)
    expect(await read(5, 'rollouts')).toHaveLength(1)
  }
  expect(reads).toBe(2)
})

test('a read that takes longer than a fresh one lasts is shared, unless the round has become final since', async () => {
  const answers: ((commitments: RolloutCommitment[]) => void)[] = []
  const chain = {
    readRevealedVotes: async () => [],
    readRolloutCommitments: () => new Promise<RolloutCommitment[]>(resolve => void answers.push(resolve)),
  }
  let round = 7
  const clock = createManualClock()
  const { read } = createCommitments({ chain, clock, currentRound: () => round })
  const first = read(7, 'rollouts')
  await clock.advance(30_000)
  expect(read(7, 'rollouts')).toBe(first)
  round = 8
  const second = read(7, 'rollouts')
  expect(second).not.toBe(first)
  for (const answer of answers) answer([{} as RolloutCommitment])
  expect(await Promise.all([first, second])).toEqual([[{}], [{}]])
  expect(answers).toHaveLength(2)
})
