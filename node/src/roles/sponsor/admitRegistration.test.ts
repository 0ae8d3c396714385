import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { peerRegistryAbi } from '@waggle/deployments/abi'
import { expect, test } from 'vitest'
import type { ConnectedChain } from '#chain/connectChain.ts'
import type { Contracts } from '#chain/contracts.ts'
import type { TxOutcome } from '#chain/outbox/outbox.ts'
import { signForSponsor } from '#chain/peers/sponsorRegistration.ts'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import type { PeerSigner } from '#core/peers/peerSigner.ts'
import { openIdentity } from '#store/identity.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createSponsorBook } from '#store/sponsorBook.ts'
import { createAdmission } from './admitRegistration.ts'
import { createSponsorFunds } from './sponsorFunds.ts'
import { requestSchema, type SponsorRequest } from './sponsorProtocol.ts'
import { sponsorSettingsSchema } from './sponsorSettings.ts'

const contracts = {
  chainId: 31_337,
  peerRegistry: { address: `0x${'11'.repeat(20)}`, abi: peerRegistryAbi },
} as unknown as Contracts

/** A sponsor whose transactions end when the test says so. */
async function scene() {
  const { peerId, peerKey, address, signer, accountKey } = await openIdentity(
    mkdtempSync(join(tmpdir(), 'waggle-admission-')),
  )
  const account = address.toLowerCase() as Hex
  const clock = createManualClock(1e12)
  const book = createSponsorBook(openDatabase(':memory:'), clock.nowMs())
  const chain = {
    rpc: { simulateContract: async () => ({ result: peerKey }) },
    rpcUrl: '',
  } as unknown as ConnectedChain
  let holder: Hex | null = null
  const reads = {
    readAccountOf: async () => holder,
    readHasCode: async () => false,
    readGasPrice: async () => 1n,
    readBalance: async () => 10n ** 18n,
  }
  const settings = sponsorSettingsSchema.parse({})
  const ends: ((outcome: TxOutcome) => void)[] = []
  const registered: Hex[] = []
  const admission = createAdmission({
    ...{
      chain,
      contracts,
      reads,
      book,
      account: `0x${'99'.repeat(20)}` as const,
      clock,
      logger: silentLogger,
      settings,
    },
    funds: createSponsorFunds({ reads, book, clock, settings, account: `0x${'99'.repeat(20)}` as const }),
    send: () => new Promise(resolve => ends.push(resolve)),
    invitation: undefined,
    registered: key => void registered.push(key),
  })
  async function ask() {
    const registration = { account, nonce: 0n, deadlineSec: clock.nowMs() / 1000 + 3_600 }
    const signed = await signForSponsor(contracts, signer as PeerSigner, accountKey, registration)
    return (await admission.ask(requestSchema.parse({ ...signed, nonce: 0, peerId }) as SponsorRequest)).code
  }
  return { ask, book, clock, ends, peerKey, registered, holds: (by: Hex | null) => (holder = by), account }
}

test('a peer that asked again while gas was dear stays sponsored, whichever of its registrations is refused', async () => {
  const { account, ask, book, clock, ends, holds, peerKey, registered } = await scene()
  expect(await ask()).toBe(202)
  clock.advance(600_000)
  expect(await ask()).toBe(202)
  expect(ends).toHaveLength(2)
  holds(account)
  ends[0]?.({ status: 'mined', hash: '0x01', block: 1 })
  ends[1]?.({ status: 'reverted', error: 'PeerRegistry_WrongSigner', hash: null })
  await expect.poll(() => registered).toEqual([peerKey, peerKey])
  expect(book.peer(peerKey)).toMatchObject({ account })
})

test('a peer whose registration failed may ask again at once', async () => {
  const { ask, book, ends, peerKey, registered } = await scene()
  expect([await ask(), await ask()]).toEqual([202, 202])
  expect(ends).toHaveLength(1)
  ends[0]?.({ status: 'reverted', error: 'PeerRegistry_DeadlinePassed', hash: null })
  await expect.poll(() => book.peer(peerKey)).toBeUndefined()
  expect(await ask()).toBe(202)
  expect([ends.length, registered.length]).toEqual([2, 0])
})
