import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Deployment } from '@waggle/deployments/record'
import { formatEther } from 'viem'
import { openChain } from '#chain/openChain.ts'
import { type FeeSettings, feeLimits } from '#chain/outbox/feeSettings.ts'
import type { TxOutcome } from '#chain/outbox/outbox.ts'
import { transferCoin } from '#chain/peers/transferFunds.ts'
import type { ChainReads } from '#chain/reads.ts'
import type { Clock } from '#core/clock.ts'
import type { PeerKey } from '#core/hashes.ts'
import { createKeyedLimit } from '#core/keyedLimit.ts'
import type { Logger } from '#core/logger.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { createDiskGuard } from '#store/diskGuard.ts'
import { type Identity, openIdentity } from '#store/identity.ts'
import { lockDataFolder } from '#store/lockDataFolder.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { createSponsorBook, type SponsorBook, type SponsoredPeer } from '#store/sponsorBook.ts'
import { createAdmission } from './admitRegistration.ts'
import { createSponsorFunds, type SponsorFunds } from './sponsorFunds.ts'
import type { SponsorStanding, SponsorTerms } from './sponsorProtocol.ts'
import { serveSponsor } from './sponsorServer.ts'
import type { SponsorSettings } from './sponsorSettings.ts'

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
    const ambient = { rpcUrl, deployment, outbox: createOutboxTable(db), disk, clock, logger, signal, waitsOut: true }
    const outboxOptions = options.fees && feeLimits(options.fees)
    const chain = await openChain({ ...ambient, accountKey, peerKey, signer, ...(outboxOptions && { outboxOptions }) })
    closers.push(
      () => chain.done,
      () => ended.abort(),
    )
    const { contracts, account, send } = chain
    const book = createSponsorBook(db)
    const funds = createSponsorFunds({ reads: chain, book, clock, settings, account })
    const supply = createSupply({ reads: chain, book, funds, send, clock, logger })
    const registered = (key: PeerKey) =>
      void supply.supply(key).catch(error => logger.warn('a peer could not be sent gas', { peerKey: key, error }))
    const admission = createAdmission({
      ...{ chain: chain.client, contracts, reads: chain, book, funds, account, send },
      ...{ clock, logger, settings, invitation, registered },
    })
    const terms = async (): Promise<SponsorTerms> => ({
      ...{ chainId: deployment.chainId, registry: contracts.peerRegistry.address, account },
      ...{ rounds: settings.rounds, peerBudget: formatEther(settings['peer-budget']) },
      ...{ registrationsLeft: admission.registrationsLeft(), needsInvitation: invitation !== undefined },
      isLow: await funds.isLow(),
    })
    const pages = { terms, standing: (key: PeerKey) => standingOf(book, funds, key), ask: admission.ask }
    const server = await serveSponsor({ port: settings.http, host: settings.bind }, pages, logger)
    closers.push(() => {
      server.close()
      server.closeAllConnections()
    })
    const { address, port } = server.address() as AddressInfo
    logger.info('sponsor started', {
      url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`,
      account,
    })
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

async function standingOf(book: SponsorBook, funds: SponsorFunds, peerKey: PeerKey): Promise<SponsorStanding | null> {
  const peer = book.peer(peerKey)
  if (peer === undefined) return null
  return {
    ...{ account: peer.account, workedRound: peer.workedRound },
    ...{ spent: formatEther(funds.spentWei(peerKey)), left: formatEther(funds.leftOf(peerKey)) },
    isLow: await funds.isLow(),
  }
}

/** A peer works if its work was on the chain within this many rounds. */
const WORKS_FOR_ROUNDS = 6

type Modules = {
  reads: Pick<
    ChainReads,
    'readAccountOf' | 'readHasCode' | 'readRolloutCommitments' | 'readRevealedVotes' | 'readProposals'
  >
  book: SponsorBook
  funds: SponsorFunds
  send: (intent: OutboxIntent) => Promise<TxOutcome>
  clock: Clock
  logger: Logger
}

/** Keeps accounts of peers that work supplied with gas. */
export function createSupply({ reads, book, funds, send, clock, logger }: Modules) {
  // One payment is decided at a time: each sees what the others have spent.
  const paymentMutex = createKeyedLimit(1)
  let newest = -1

  /** Peers with work on the chain: rollouts of this round and the last, tasks for this one, votes that are revealed in it. */
  async function workersIn(round: number): Promise<Set<PeerKey>> {
    const rounds = (back: number) => (round - back >= 0 ? round - back : null)
    const from = async <T>(at: number | null, read: (round: number) => Promise<readonly T[]>) =>
      at === null ? [] : read(at)
    const solved = [
      ...(await from(rounds(0), reads.readRolloutCommitments)),
      ...(await from(rounds(1), reads.readRolloutCommitments)),
    ]
    const proposed = await from(rounds(0), reads.readProposals)
    const voted = await from(rounds(3), reads.readRevealedVotes)
    const keys = [...solved, ...proposed].map(({ peerKey }) => peerKey)
    return new Set([...keys, ...voted.map(({ evaluatorKey }) => evaluatorKey)].map(key => key.toLowerCase() as PeerKey))
  }

  function dueTo({ peerKey, workedRound }: SponsoredPeer): 'credit' | 'work' | null {
    if (workedRound !== null) return newest - workedRound <= WORKS_FOR_ROUNDS ? 'work' : null
    return book.payments(0, peerKey).some(({ kind }) => kind === 'gas') ? null : 'credit'
  }

  async function supply(peer: SponsoredPeer): Promise<void> {
    const due = dueTo(peer)
    if (due === null) return
    const { peerKey, account } = peer
    // A peer that was moved to another account pays for itself.
    if ((await reads.readAccountOf(peerKey))?.toLowerCase() !== account || (await reads.readHasCode(account))) return
    const wei = await funds.topUpOf(peerKey, account, due)
    if (wei === 0n) return
    const id = book.pay({ peerKey, kind: 'gas', wei, atMs: clock.nowMs() })
    const outcome = await send(transferCoin({ to: account, amountWei: wei, id: `sponsor-${id}` }))
    logger.info('sent gas to a peer', { peerKey, account, amount: formatEther(wei), due, outcome: outcome.status })
  }

  return {
    /** One peer, now. */
    supply: (peerKey: PeerKey) =>
      paymentMutex.run('', async () => {
        const peer = book.peer(peerKey)
        if (peer !== undefined) await supply(peer)
      }),
    /** Notes the peers that worked, and supplies all that are due. */
    async look(round: number): Promise<void> {
      newest = round
      const workers = await workersIn(round)
      for (const { peerKey } of book.peers()) if (workers.has(peerKey)) book.worked(peerKey, round)
      for (const { peerKey } of book.peers()) await this.supply(peerKey)
    },
  }
}
