import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Deployment } from '@waggle/deployments/record'
import { openChain } from '#chain/openChain.ts'
import { type FeeSettings, feeLimits } from '#chain/outbox/feeSettings.ts'
import type { Clock } from '#core/clock.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import { createDiskGuard } from '#store/diskGuard.ts'
import { type Identity, openIdentity } from '#store/identity.ts'
import { lockDataFolder } from '#store/lockDataFolder.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { createSponsorBook } from '#store/sponsorBook.ts'
import { createAdmission } from './admitRegistration.ts'
import { createSponsorFunds } from './sponsorFunds.ts'
import { createSponsorPages } from './sponsorPages.ts'
import { serveSponsor } from './sponsorServer.ts'
import type { SponsorSettings } from './sponsorSettings.ts'
import { createSupply } from './supplyPeers.ts'

type SponsorOptions = {
  data: string
  rpcUrl: string
  deployment: Deployment
  settings: SponsorSettings
  /** Bounds of what its account pays for gas. */
  fees?: FeeSettings
  /** Invitation that a peer must send; undefined if anybody may ask. */
  invitation: string | undefined
  clock: Clock
  /** Creates the logger once the keys are known, so that it can redact them. */
  openLogger: (identity: Identity) => Logger
  signal: AbortSignal
}

/**
 * Registers peers without funds and keeps their accounts supplied with gas, from the account of its own folder, until the signal is aborted.
 *
 * @throws {NodeError} if the environment is broken, with a hint.
 */
export async function runSponsor(options: SponsorOptions): Promise<void> {
  const { data, rpcUrl, deployment, settings, invitation, clock } = options
  const lock = lockDataFolder(data)
  const closers: (() => unknown)[] = [() => lock.release()]
  const ended = new AbortController()
  const signal = AbortSignal.any([options.signal, ended.signal])
  try {
    const identity = await openIdentity(data)
    const { accountKey, peerKey, signer } = identity
    const logger = options.openLogger(identity)
    const db = openDatabase(join(data, JOURNAL_FILE))
    closers.push(() => db.close())
    const disk = createDiskGuard({ folder: data, clock, logger })
    const outbox = createOutboxTable(db)
    const ambient = { rpcUrl, deployment, outbox, disk, clock, logger, signal, waitsOut: true }
    const outboxOptions = options.fees && feeLimits(options.fees)
    const chain = await openChain({ ...ambient, accountKey, peerKey, signer, ...(outboxOptions && { outboxOptions }) })
    closers.push(
      () => chain.done,
      () => ended.abort(),
    )
    const { contracts, account, send } = chain
    // The chain's time as well: a clock that is behind would make earlier payments of no day.
    const { nowSec } = await chain.rounds.read()
    const book = createSponsorBook(db, Math.max(clock.nowMs(), nowSec * 1000))
    const funds = createSponsorFunds({ reads: chain, book, clock, settings, account })
    const supply = createSupply({ reads: chain, book, funds, send, outbox, clock, logger })
    void supply.resume().catch(error => logger.warn('the last payment could not be followed', { error }))
    const registered = (key: PeerKey) =>
      void supply.supply(key).catch(error => logger.warn('a peer could not be sent gas', { peerKey: key, error }))
    const admission = createAdmission({
      ...{ chain: chain.client, contracts, reads: chain, book, funds, account, send },
      ...{ clock, logger, settings, invitation, registered },
    })
    const asked = { deployment, contracts, account, settings, invitation, admission, book, funds, clock }
    const address = { port: settings.http, host: settings.bind }
    const server = await serveSponsor(address, createSponsorPages(asked), logger)
    closers.push(() => {
      server.close()
      server.closeAllConnections()
    })
    logger.info('sponsor started', { url: urlOf(server), account })
    let round = -1
    let wasLow = false
    while (!signal.aborted) {
      const isLow = await funds.isLow().catch(() => wasLow)
      if (isLow && !wasLow) logger.warn('the sponsor runs low: send coin to its account', { account })
      wasLow = isLow
      if (round >= 0)
        await supply.look(round).catch(error => logger.warn('peers could not be sent gas', { round, error }))
      round = (await chain.rounds.waitFor(round + 1, signal)).round
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    for (const one of closers.splice(0).reverse()) await one()
  }
}

function urlOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`
}
