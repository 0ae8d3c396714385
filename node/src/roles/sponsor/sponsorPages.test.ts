import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createSponsorBook } from '#store/sponsorBook.ts'
import { createSponsorFunds } from './sponsorFunds.ts'
import { createSponsorPages } from './sponsorPages.ts'
import { sponsorSettingsSchema } from './sponsorSettings.ts'

const account: Hex = `0x${'99'.repeat(20)}`
const keyOf = (peer: number): Hex => `0x${String(peer).padStart(64, '0')}`
const accountOf = (peer: number): Hex => `0x${String(peer).padStart(40, '0')}`

test('a hundred requests within three seconds read the balance of the sponsor once', async () => {
  const clock = createManualClock(1e12)
  const settings = sponsorSettingsSchema.parse({})
  const book = createSponsorBook(openDatabase(':memory:'), clock.nowMs())
  book.add({ peerKey: keyOf(1), account: accountOf(1), sinceMs: clock.nowMs() })
  let reads = 0
  let balanceWei = parseEther('1')
  const readBalance = async () => {
    reads += 1
    return balanceWei
  }
  const funds = createSponsorFunds({
    reads: { readBalance, readGasPrice: async () => 1n },
    ...{ book, clock, settings, account },
  })
  const pages = createSponsorPages({
    ...{ deployment: { chainId: 1 }, contracts: { peerRegistry: { address: account } }, account },
    ...{ settings, invitation: undefined, book, funds, clock },
    admission: { registrationsLeft: () => 20, ask: async () => ({ code: 202, body: {} }) },
  })
  const ask = () => Promise.all([pages.terms(), pages.standing(keyOf(1))])
  for (let request = 0; request < 50; request++)
    expect(await ask()).toMatchObject([
      { isLow: false, peerBudget: '0.02' },
      { isLow: false, left: '0.02' },
    ])
  expect(reads).toBe(1)
  expect(await pages.standing(keyOf(2))).toBeNull()
  balanceWei = 0n
  clock.advance(3_000)
  expect(await ask()).toMatchObject([{ isLow: true }, { isLow: true }])
  expect(reads).toBe(2)
})
