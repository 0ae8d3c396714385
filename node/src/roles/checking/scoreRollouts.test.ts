import { expect, test } from 'vitest'
import { drawTrainingTask } from '#environments/codezero/curriculum/drawTask.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import type { Judge } from '#environments/environment.ts'
import { seededRandom } from '#environments/seededRandom.ts'
import type { CheckedGroup } from '../draws/checkRollouts.ts'
import { sampledLeaves } from '../draws/drawCommittee.ts'
import { scorePeer } from './scoreRollouts.ts'

const spec = environmentFrom('starter')
const peerKey = `0x${'ab'.repeat(32)}` as const
const beacon = `0x${'be'.repeat(32)}` as const

const judge: Judge = {
  score: async answers => answers.map(() => ({ components: { right: 1 }, score: 0.5, correctness: 1 })),
}
const problem = drawTrainingTask(1, seededRandom('score a peer'))

function group(indices: number[], text: string): CheckedGroup {
  const task = { ref: { peerKey, index: 0 }, taskHash: beacon, level: 1, text: '', problem }
  const tokens = Int32Array.of(1)
  const rollout = { promptTokens: tokens, completionTokens: tokens, logprobs: new Float32Array(1), text, ended: true }
  return { task, rollouts: indices.map(index => ({ ...rollout, index })) }
}

test('sampled leaves are distinct, of those owed, and another draw for every beacon and peer', () => {
  const drawn = sampledLeaves(1, 4, beacon, peerKey, spec)
  expect(new Set(drawn).size).toBe(spec.sampledLeaves)
  expect(drawn.every(index => index < spec.owedLeaves)).toBe(true)
  expect(sampledLeaves(1, 4, beacon, peerKey, spec)).toEqual(drawn)
  expect(sampledLeaves(1, 4, peerKey, peerKey, spec)).not.toEqual(drawn)
  expect(sampledLeaves(1, 4, beacon, beacon, spec)).not.toEqual(drawn)
})

test('a missing leaf that was drawn counts nothing, and a leaf that was not drawn is not scored', async () => {
  const all = await scorePeer(judge, peerKey, [group([0, 1, 2, 3], 'no code')], [0, 1, 2, 3], 8)
  const half = await scorePeer(judge, peerKey, [group([0, 1, 4, 5], 'no code')], [0, 1, 2, 3], 2)
  expect(all.leaves.map(({ index }) => index)).toEqual([0, 1, 2, 3])
  expect(half.leaves.map(({ index }) => index)).toEqual([0, 1])
  expect(all.scoreMilli).toBeGreaterThan(0)
  expect(half.scoreMilli).toBe(Math.round(all.scoreMilli / 2))
  expect((await scorePeer(judge, peerKey, [], [0, 1], 0)).scoreMilli).toBe(0)
})

test('a sampled leaf that was committed and breaks the rule has a score of 0, so that it can be opened', async () => {
  const sampled = [6, 0, 3, 1]
  const { leaves, scoreMilli } = await scorePeer(judge, peerKey, [group([0, 1, 2], 'no code')], sampled, 6)
  expect(leaves.map(leaf => [leaf.index, leaf.scoreMilli])).toEqual([
    [0, 500],
    [1, 500],
    [3, 0],
  ])
  expect(leaves[2]?.components).toEqual({})
  expect(scoreMilli).toBe(250)
})
