import { randomUUID } from 'node:crypto'
import { roundLengthSec } from '#chain/rounds/roundLength.ts'
import { refusedCall } from '../accountSession.ts'
import type { PeerNode } from '../peerNode.ts'
import { type MarketSession, marketSessionOver } from './marketSession.ts'

/** Polls in a round: betting lasts one round. */
export const POLLS_PER_ROUND = 8
/** Polls in a round while the last one found nothing open. */
const IDLE_POLLS_PER_ROUND = 4
const MAX_WAIT_MS = 60_000
/** Until the length of a round is known. */
const FIRST_WAIT_MS = 5_000

/** A running peer's calls to the market, through its own outbox. */
export function sessionOfNode(
  { chain, identity, journal }: Pick<PeerNode, 'chain' | 'identity' | 'journal'>,
  data: string,
): MarketSession {
  const { account, peerKey, contracts, client } = chain
  const session = {
    ...{ data, peerKey, account, contracts, client, journal, id: (): string => `peer-${randomUUID()}` },
    async send(intent: Parameters<typeof chain.send>[0]) {
      const outcome = await chain.send(intent)
      if (outcome.status === 'mined') return outcome
      throw refusedCall(outcome, false)
    },
    close: async () => {},
  }
  return marketSessionOver(session, identity.accountKey)
}

/**
 * Polls the market a few times a round until the node stops, from the first round on. A failure is logged, and tried again with the next poll.
 *
 * @param poll - takes the length of a round in seconds; 'idle' from it means that nothing is open, and halves the polls.
 */
export async function watchGames(
  {
    chain,
    clock,
    disk,
    logger,
    round,
    signal,
  }: Pick<PeerNode, 'chain' | 'clock' | 'disk' | 'logger' | 'round' | 'signal'>,
  poll: (roundSec: number) => Promise<unknown>,
): Promise<void> {
  let waitMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    try {
      await disk.untilWritable(signal)
      // Only its length is needed, so that a round that the peer knows of is as good as the newest.
      const roundSec = roundLengthSec(round() ?? (await chain.rounds.waitFor(0, signal)))
      const waitOf = (polls: number) => Math.min(MAX_WAIT_MS, (roundSec * 1000) / polls)
      waitMs = waitOf(POLLS_PER_ROUND)
      if ((await poll(roundSec)) === 'idle') waitMs = waitOf(IDLE_POLLS_PER_ROUND)
    } catch (error) {
      if (signal.aborted) return
      // Said once for all work, and waited out.
      if (disk.isFault(error)) continue
      logger.warn('a game of the market could not be continued', { error })
    }
    await clock.sleep(waitMs, signal).catch(() => undefined)
  }
}
