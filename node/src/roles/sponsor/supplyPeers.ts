import { formatEther } from 'viem'
import { outcomeOf, type TxOutcome } from '#chain/outbox/outbox.ts'
import { transferCoin } from '#chain/peers/transferFunds.ts'
import type { ChainReads } from '#chain/reads.ts'
import type { Clock } from '#core/clock.ts'
import type { PeerKey } from '#core/hashes.ts'
import { createKeyedLimit } from '#core/keyedLimit.ts'
import type { Logger } from '#core/logger.ts'
import type { OutboxIntent, OutboxStore } from '#core/outboxStore.ts'
import type { SponsorBook, SponsoredPeer, SponsorPayment } from '#store/sponsorBook.ts'
import { DAY_MS, type GasDue, HOUR_MS, type SponsorFunds } from './sponsorFunds.ts'

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
  outbox: Pick<OutboxStore, 'get'>
  clock: Clock
  logger: Logger
}

/** @property due - what it is for; unknown of an earlier run's. */
type Payment = Pick<SponsorPayment, 'id' | 'wei'> & { due?: GasDue }

/** Keeps accounts of peers that work supplied with gas. */
export function createSupply({ reads, book, funds, send, outbox, clock, logger }: Modules) {
  // One payment is decided at a time: each sees what the others have spent.
  const paymentMutex = createKeyedLimit(1)
  let newest = -1
  let sawStoppedMs = Number.NEGATIVE_INFINITY

  async function supply(peer: SponsoredPeer): Promise<void> {
    const due = dueTo(peer, newest, book, clock)
    if (due === null) return
    const { peerKey, account } = peer
    // A peer that was moved to another account pays for itself.
    if ((await reads.readAccountOf(peerKey))?.toLowerCase() !== account || (await reads.readHasCode(account))) return
    const wei = await funds.topUpOf(peerKey, account, due)
    if (wei === 0n) return
    const id = book.pay({ peerKey, kind: due === 'return' ? 'gas to go on' : 'gas', wei, atMs: clock.nowMs() })
    await settle(peer, { id, wei, due })
  }

  const transferOf = ({ account }: SponsoredPeer, { id, wei }: Payment) =>
    transferCoin({ to: account, amountWei: wei, id: `sponsor-${id}` })

  /**
   * Sends a payment, or follows one that was sent, to its outcome. One that failed is spent neither from the budget nor from the peer's credit. One
   * that was dropped may have been mined, and stays spent.
   */
  async function settle(peer: SponsoredPeer, payment: Payment): Promise<void> {
    const outcome = await send(transferOf(peer, payment))
    const { peerKey, account } = peer
    const sent = { peerKey, account, amount: formatEther(payment.wei), due: payment.due, outcome: outcome.status }
    if (outcome.status === 'mined') return logger.info('sent gas to a peer', sent)
    if (outcome.status === 'stopped') return
    if (outcome.status === 'dropped')
      return logger.warn('gas for a peer may have been sent, and counts as spent', { ...sent, reason: outcome.reason })
    book.fail(payment.id)
    logger.warn('a peer could not be sent gas', { ...sent, ...outcome })
  }

  return {
    /** At a start: takes up the last payment of the run before. One that the outbox does not know was booked and never sent. */
    resume: () =>
      paymentMutex.run('', async () => {
        const payment = book.lastGas()
        const peer = payment && book.peer(payment.peerKey)
        if (payment === undefined || peer === undefined) return
        const entry = outbox.get(transferOf(peer, payment).key)
        if (entry === undefined) book.fail(payment.id)
        else if (outcomeOf(entry)?.status !== 'mined') await settle(peer, payment)
      }),
    /** One peer, now. */
    supply: (peerKey: PeerKey) =>
      paymentMutex.run('', async () => {
        const peer = book.peer(peerKey)
        if (peer !== undefined) await supply(peer)
      }),
    /** Notes the peers that worked, and supplies all that are due, those that stopped at last. */
    async look(round: number): Promise<void> {
      newest = round
      const workers = await readWorkers(reads, round)
      for (const { peerKey } of book.peers()) if (workers.has(peerKey)) book.worked(peerKey, round)
      const stopped = (peer: SponsoredPeer) => hasStopped(peer, round)
      const peers = book.peers()
      for (const peer of peers) if (!stopped(peer)) await this.supply(peer.peerKey)
      // Each costs several reads, there may be many, and none of them is in a hurry.
      if (clock.nowMs() - sawStoppedMs < HOUR_MS) return
      sawStoppedMs = clock.nowMs()
      for (const peer of peers) if (stopped(peer)) await this.supply(peer.peerKey)
    },
  }
}

const hasStopped = ({ workedRound }: SponsoredPeer, round: number) =>
  workedRound !== null && round - workedRound > WORKS_FOR_ROUNDS

function dueTo(
  peer: SponsoredPeer,
  round: number,
  book: Pick<SponsorBook, 'payments'>,
  clock: Pick<Clock, 'nowMs'>,
): GasDue | null {
  const isPaidSince = (ms: number) => book.payments(ms, peer.peerKey).some(({ kind }) => kind !== 'registration')
  if (peer.workedRound === null) return isPaidSince(0) ? null : 'credit'
  if (!hasStopped(peer, round)) return 'work'
  // It may have stopped for want of gas while the sponsor had none: work needs gas, and gas needs work.
  return isPaidSince(clock.nowMs() - DAY_MS) ? null : 'return'
}

/** Peers with work on the chain: rollouts of this round and the last, tasks for this one, votes that are revealed in it. */
async function readWorkers(reads: Modules['reads'], round: number): Promise<Set<PeerKey>> {
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
