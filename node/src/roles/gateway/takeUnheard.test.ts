import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { takeUnheard } from './takeUnheard.ts'

test('a gateway asks for the last rounds once announcements had their time, and for all that are kept after a start', async () => {
  const clock = createManualClock()
  const asked: string[] = []
  const collecting = { takeCommitted: async (round: number, kind: string) => void asked.push(`${kind} ${round}`) }
  const time = { round: 20, startsAtSec: 0, endsAtSec: 3_600 }
  const node = { clock, signal: new AbortController().signal }
  const taken = takeUnheard(node, collecting, time, false)
  clock.advance(29_999)
  await Promise.resolve()
  expect(asked).toEqual([])
  clock.advance(1)
  await taken
  expect(asked.splice(0)).toEqual(['rollouts 18', 'rollouts 19', 'scores 17', 'scores 18'])
  const first = takeUnheard(node, collecting, { ...time, round: 3 }, true)
  clock.advance(30_000)
  await first
  expect(asked).toEqual(['rollouts 0', 'rollouts 1', 'rollouts 2', 'scores 0', 'scores 1'])
})
