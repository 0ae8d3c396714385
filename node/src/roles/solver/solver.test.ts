import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { isItsPolicy } from './solver.ts'

test('a round is answered by one policy: again by the same one after a stop, and not by one that learned from it', async () => {
  const node = { journal: createJournal(openDatabase(':memory:'), createManualClock()), logger: silentLogger }
  const policy = (hash: `0x${string}`) => ({ weightsHash: async () => hash })
  expect(await isItsPolicy(node, policy('0x01'), 5)).toBe(true)
  expect(await isItsPolicy(node, policy('0x01'), 5)).toBe(true)
  expect(await isItsPolicy(node, policy('0x02'), 5)).toBe(false)
  expect(await isItsPolicy(node, policy('0x02'), 6)).toBe(true)
})
