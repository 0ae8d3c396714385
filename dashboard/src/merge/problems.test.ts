import { expect, test } from 'vitest'
import type { Rollout, RoundPayloads } from '#sources/gateway.ts'
import { bestFirst, chooseProblem, problems } from './problems.ts'

const rollout = (index: number, scoreMilli: number | null): Rollout => ({
  index,
  text: 'def f(n):\n    return n',
  ended: true,
  tokens: 9,
  components: scoreMilli === null ? null : { parses: 1 },
  scoreMilli,
})

const group = (taskHash: string, peerKey: string) => ({
  peerKey,
  peerId: `id ${peerKey}`,
  name: `name ${peerKey}`,
  taskHash,
  text: `text ${taskHash}`,
  level: 3,
  rollouts: [rollout(0, 100)],
})

const payloads: RoundPayloads = {
  round: 4,
  tasks: [
    { proposer: '16Up', proposerName: 'tall calm bee', index: 0, level: 2, text: 'text 0x1', taskHash: '0x1' },
    { proposer: '16Up', proposerName: 'tall calm bee', index: 1, level: 2, text: 'text 0x2', taskHash: '0x2' },
  ],
  groups: [group('0x2', '0xa'), group('0x2', '0xb'), group('0x3', '0xa')],
  evaluators: [],
}

test('a problem gathers the answers of all solvers, also where its proposal is not known', () => {
  const all = problems(payloads)
  expect(all.map(({ taskHash, attempts }) => [taskHash, attempts.length])).toEqual([
    ['0x1', 0],
    ['0x2', 2],
    ['0x3', 1],
  ])
  expect(all[2]?.proposer).toBeNull()
})

test('the problem asked for is shown, else the most tried one', () => {
  const all = problems(payloads)
  expect(chooseProblem(all, '0x3')?.taskHash).toBe('0x3')
  expect(chooseProblem(all, '')?.taskHash).toBe('0x2')
  expect(chooseProblem([], '')).toBeUndefined()
})

test('the best try comes first and unscored ones last', () => {
  const order = bestFirst([rollout(24, null), rollout(25, 200), rollout(26, 900)]).map(({ number }) => number)
  expect(order).toEqual([3, 2, 1])
})
