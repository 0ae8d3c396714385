import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import type { RolloutBundle } from '#core/payloads/payloads.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { noteLength, noteSampled, sampledView } from './sampledView.ts'

/** Rollouts of so many completion tokens, two bytes each. */
const bundleOf = (...tokens: number[]) =>
  ({
    groups: tokens.map(count => ({
      rollouts: [
        {
          promptTokens: new Uint8Array(4),
          completionTokens: new Uint8Array(2 * count),
          logprobs: new Uint8Array(4 * count),
        },
      ],
    })),
  }) as unknown as RolloutBundle

test('completions of solvers are reported for the newest round whose payloads are here, with their length', () => {
  const journal = createJournal(openDatabase(':memory:'), createManualClock())
  const [first, second] = ['16Uiu2HAmFirst', '16Uiu2HAmSecond']
  for (const round of [7, 8, 9]) {
    noteLength(journal, round, 20)
    noteSampled(journal, round, first, bundleOf(30, 12))
  }
  noteSampled(journal, 8, second, bundleOf(5))
  noteSampled(journal, 8, second, bundleOf(6))

  const solvers = [
    { peerKey: peerKeyOf(first), tokens: 42 },
    { peerKey: peerKeyOf(second), tokens: 6 },
  ]
  expect(sampledView(journal, 10), 'round 9 may still be on its way').toEqual({ round: 8, seconds: 20, solvers })
  expect(sampledView(journal, 14)?.round).toBe(9)
  expect(sampledView(journal, 15), 'too long ago').toBe(null)
  expect(sampledView(journal, 1)).toBe(null)
})
