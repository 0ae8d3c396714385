import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import type { PolicyHash } from '#core/hashes.ts'
import { silentLogger } from '#core/logger.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createPolicySaver } from './policySaver.ts'
import { isItsPolicy } from './solver.ts'

test('a round is answered by one policy: again by the same one after a stop, and not by one that learned from it', async () => {
  const node = { journal: createJournal(openDatabase(':memory:'), createManualClock()), logger: silentLogger }
  const policy = (hash: `0x${string}`) => ({ weightsHash: async () => hash })
  expect(await isItsPolicy(node, policy('0x01'), 5)).toBe(true)
  expect(await isItsPolicy(node, policy('0x01'), 5)).toBe(true)
  expect(await isItsPolicy(node, policy('0x02'), 5)).toBe(false)
  expect(await isItsPolicy(node, policy('0x02'), 6)).toBe(true)
})

test('a policy whose save failed is saved again, and then not until it changes', async () => {
  const saves: string[] = []
  let isFull = true
  const policy = {
    async save(folder: string) {
      saves.push(folder)
      if (isFull) throw new Error('ENOSPC: no space left on device, write')
      return { weightsHash: `0x${'11'.repeat(32)}` as PolicyHash, steps: 1 }
    },
  }
  const saver = createPolicySaver(policy, 'policy')
  await saver.save()
  saver.changes()
  await expect(saver.save()).rejects.toThrow('ENOSPC')
  isFull = false
  await saver.save()
  await saver.save()
  expect(saves).toEqual(['policy', 'policy'])
})
