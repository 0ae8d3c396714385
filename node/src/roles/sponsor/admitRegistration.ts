import { createHash, timingSafeEqual } from 'node:crypto'
import type { ConnectedChain } from '#chain/connectChain.ts'
import type { Contracts } from '#chain/contracts.ts'
import type { TxOutcome } from '#chain/outbox/outbox.ts'
import {
  isConsent,
  registerFor,
  type SponsoredRegistration,
  tryRegistration,
} from '#chain/peers/sponsorRegistration.ts'
import type { ChainReads } from '#chain/reads.ts'
import type { Clock } from '#core/clock.ts'
import type { AccountAddress, PeerKey } from '#core/hashes.ts'
import { createKeyedLimit } from '#core/keyedLimit.ts'
import type { Logger } from '#core/logger.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import type { SponsorBook } from '#store/sponsorBook.ts'
import { HOUR_MS, type SponsorFunds } from './sponsorFunds.ts'
import type { SponsorRequest } from './sponsorProtocol.ts'
import type { SponsorSettings } from './sponsorSettings.ts'

/** An answer of the sponsor's server, with its status of HTTP. */
export type SponsorAnswer = { code: number; body: object }

/** Requests that wait for the chain. Each asks it four times, one request at a time. */
const MAX_WAITING = 64

/** A transaction that is not on the chain by then has failed. */
const SENT_WITHIN_MS = 600_000

type Modules = {
  chain: ConnectedChain
  contracts: Contracts
  reads: Pick<ChainReads, 'readAccountOf' | 'readHasCode'>
  book: SponsorBook
  funds: SponsorFunds
  /** The sponsor's own account. */
  account: AccountAddress
  send: (intent: OutboxIntent) => Promise<TxOutcome>
  clock: Clock
  logger: Logger
  settings: SponsorSettings
  /** Invitation that a request must contain; undefined if anybody may ask. */
  invitation: string | undefined
  /** A peer was registered. */
  registered: (peerKey: PeerKey) => void
}

export type Admission = ReturnType<typeof createAdmission>

/** Checks requests for a registration, the cheap checks first, and sends those that pass. */
export function createAdmission(modules: Modules) {
  const { chain, contracts, reads, book, funds, account, clock, settings, invitation } = modules
  const admissionMutex = createKeyedLimit(1)

  const registrationsLeft = () => {
    const { length } = book.payments(clock.nowMs() - HOUR_MS).filter(({ kind }) => kind === 'registration')
    return Math.max(0, settings.hourly - length)
  }

  /** The state of a peer in the sponsor's book; null if it has none. */
  async function known(peerKey: PeerKey, { account: asked }: SponsorRequest): Promise<SponsorAnswer | null> {
    const [peer, other] = [book.peer(peerKey), book.peerOf(asked)]
    if (peer === undefined && other === undefined) return null
    if (peer?.account !== asked) return refusal(409, 'this peer, or this account, is sponsored with another')
    if ((await reads.readAccountOf(peerKey)) !== null) return { code: 200, body: { status: 'registered' } }
    if (clock.nowMs() - peer.sinceMs < SENT_WITHIN_MS) return { code: 202, body: { status: 'sending' } }
    // It failed in an earlier run, and nobody took note.
    book.remove(peerKey)
    return null
  }

  async function admit(peerKey: PeerKey, request: SponsorRequest): Promise<SponsorAnswer> {
    const before = await known(peerKey, request)
    if (before !== null) return before
    if (registrationsLeft() === 0) return refusal(429, 'no registration is left in this hour; try again later')
    const costWei = await funds.forRegistration()
    if (costWei === null) return refusal(503, 'the sponsor has spent its budget of the day, or its funds')
    // The account of a registered peer pays for itself.
    if ((await reads.readAccountOf(peerKey)) !== null) return refusal(409, 'the peer is registered already')
    // An account's code would run at the sponsor's cost, with any amount of gas.
    if (await reads.readHasCode(request.account)) return refusal(422, 'the account has code')
    const registration = registrationOf(request)
    const found = await tryRegistration(chain, contracts, account, registration)
    if ('revertedWith' in found) return refusal(422, `the registry refuses it: ${found.revertedWith}`)
    if (found.peerKey !== peerKey) return refusal(422, 'the key is that of another peer id')
    book.add({ peerKey, account: request.account, sinceMs: clock.nowMs() })
    book.pay({ peerKey, kind: 'registration', wei: costWei, atMs: clock.nowMs() })
    void follow(modules, peerKey, modules.send(registerFor(contracts, registration)))
    return { code: 202, body: { status: 'sending' } }
  }

  return {
    registrationsLeft,
    async ask(request: SponsorRequest): Promise<SponsorAnswer> {
      if (invitation !== undefined && !isSame(request.token ?? '', invitation))
        return refusal(403, 'this sponsor asks for an invitation: set WAGGLE_SPONSOR_TOKEN')
      if (!(await isConsent(contracts, registrationOf(request))))
        return refusal(422, 'the account has not signed this registration, on this chain and registry')
      if (admissionMutex.waiting('') >= MAX_WAITING) return refusal(503, 'busy; try again')
      return admissionMutex.run('', () => admit(peerKeyOf(request.peerId), request))
    },
  }
}

/** Follows a sent registration to its outcome. */
async function follow(
  { reads, book, logger, registered }: Pick<Modules, 'reads' | 'book' | 'logger' | 'registered'>,
  peerKey: PeerKey,
  sent: Promise<TxOutcome>,
): Promise<void> {
  try {
    const outcome = await sent
    if (outcome.status === 'stopped') return
    if (outcome.status === 'mined') {
      logger.info('registered a peer', { peerKey, hash: outcome.hash })
      return registered(peerKey)
    }
    // Another copy of the registration came first: from an earlier request, or sent by somebody who saw it.
    const holder = (await reads.readAccountOf(peerKey))?.toLowerCase()
    if (holder !== undefined && holder === book.peer(peerKey)?.account) return registered(peerKey)
    // The peer may ask again. The cost stays spent.
    book.remove(peerKey)
    logger.warn('a registration failed', { peerKey, ...outcome })
  } catch (error) {
    logger.error('a registration failed', { peerKey, error })
  }
}

function registrationOf({ nonce, peerId: _, token: __, ...signed }: SponsorRequest): SponsoredRegistration {
  return { ...signed, nonce: BigInt(nonce) }
}

/** In constant time. */
function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}

export const refusal = (code: number, error: string): SponsorAnswer => ({ code, body: { error } })
