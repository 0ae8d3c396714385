import { formatEther } from 'viem'
import type { TxOutcome } from '#chain/outbox/outbox.ts'
import { transferCoin } from '#chain/peers/transferFunds.ts'
import type { ChainReads } from '#chain/reads.ts'
import type { Clock } from '#core/clock.ts'
import type { PeerKey } from '#core/hashes.ts'
import { createKeyedLimit } from '#core/keyedLimit.ts'
import type { Logger } from '#core/logger.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { SponsorBook, SponsoredPeer } from '#store/sponsorBook.ts'
import type { SponsorFunds } from './sponsorFunds.ts'

/** A peer whose work was on the chain within so many rounds works. */
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

  /** Who had work on the chain: rollouts of this round and the last, tasks for this one, votes that are opened in it. */
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
    // Who moved its peer to another account pays for it.
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
    /** Notes who worked, and supplies all who are due. */
    async look(round: number): Promise<void> {
      newest = round
      const workers = await workersIn(round)
      for (const { peerKey } of book.peers()) if (workers.has(peerKey)) book.worked(peerKey, round)
      for (const { peerKey } of book.peers()) await this.supply(peerKey)
    },
  }
}
