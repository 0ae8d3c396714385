import { expect, test } from 'vitest'
import type { RolloutBundle } from '../../node/src/core/bodies.ts'
import { packLogprobs, unpackSequence } from '../../node/src/core/packedTokens.ts'
import type { CheckedGroup } from '../../node/src/roles/checkRollouts.ts'
import { faultOfClaims } from '../../node/src/roles/solver/checkClaims.ts'
import { poisons } from './poisons.ts'

const VOCABULARY = 640
const answer = (task: number, length: number) => ({
  promptTokens: Uint8Array.of(task, 0),
  completionTokens: Uint8Array.from({ length: 2 * length }, (_, i) => (i % 2 ? 0 : task)),
  logprobs: packLogprobs(new Float32Array(length).fill(-0.3)),
  ended: true,
})
const groups = [5, 8].map((length, task) => ({ rollouts: [0, 1].map(index => ({ index, ...answer(task, length) })) }))
const honest = { groups } as unknown as RolloutBundle

const groupsOf = (bundle: RolloutBundle) =>
  bundle.groups.map(({ rollouts }) => ({ rollouts: rollouts.map(unpackSequence) }) as unknown as CheckedGroup)
const faults = (bundle: RolloutBundle) => groupsOf(bundle).map(group => faultOfClaims(group, VOCABULARY))

test('one poison claims what cannot be and the other what can, and both give answers of another task', () => {
  expect(faults(honest)).toEqual([null, null])
  expect(faults(poisons.absurd(honest, VOCABULARY)).filter(fault => fault === null)).toEqual([])
  const possible = poisons.possible(honest, VOCABULARY)
  expect(faults(possible)).toEqual([null, null])
  const lengths = groupsOf(possible).map(({ rollouts }) => rollouts.map(({ logprobs }) => logprobs.length))
  expect(lengths).toEqual([
    [8, 5],
    [5, 8],
  ])
})
