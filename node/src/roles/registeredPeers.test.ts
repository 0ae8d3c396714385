import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createLogger } from '#core/logger.ts'
import { createRegisteredPeers } from './registeredPeers.ts'

const clock = createManualClock(1_000_000)
const logger = createLogger({ write: () => undefined, format: 'json', level: 'error', clock })

/** A registry that notes what it is asked, and a promise for the next peer that becomes known. */
function registry(account: '0x00000000000000000000000000000000000000aa' | null) {
  const asked: string[] = []
  const known = Promise.withResolvers<string>()
  const chain = {
    readAccountOf: async (peerKey: string) => {
      asked.push(peerKey)
      return account
    },
  }
  const admits = createRegisteredPeers('16Uiu2own', chain, clock, logger, async peerId => known.resolve(peerId))
  return { asked, known: known.promise, admits }
}

test('a registered peer is passed over once, then told of and admitted', async () => {
  const { admits, known, asked } = registry('0x00000000000000000000000000000000000000aa')
  expect(admits('16Uiu2a')).toBe(false)
  expect(await known).toBe('16Uiu2a')
  expect(admits('16Uiu2a')).toBe(true)
  expect(asked).toHaveLength(1)
})

test('the own id is admitted at once, without asking', () => {
  const { admits, asked } = registry(null)
  expect(admits('16Uiu2own')).toBe(true)
  expect(asked).toEqual([])
})

test('about an unregistered peer the chain is asked again only after a while', () => {
  const { admits, asked } = registry(null)
  expect([admits('16Uiu2b'), admits('16Uiu2b')]).toEqual([false, false])
  expect(asked).toHaveLength(1)
  clock.advance(5_000)
  expect(admits('16Uiu2b')).toBe(false)
  expect(asked).toHaveLength(2)
})
