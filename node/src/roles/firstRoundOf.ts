import type { Chain } from '#chain/openChain.ts'
import type { Logger } from '#core/logger.ts'

type Waiting = { chain: Pick<Chain, 'peerKey' | 'readCountsFrom' | 'rounds'>; logger: Logger }

/** First round that this peer's key counts in; says so where that has yet to come. 0 for a key that is not registered. */
export async function firstRoundOf({ chain, logger }: Waiting): Promise<number> {
  const countsFrom = (await chain.readCountsFrom(chain.peerKey)) ?? 0
  const { round } = await chain.rounds.recent()
  // Every key counts from the first round at the earliest.
  if (countsFrom > 0 && round < countsFrom) {
    const hint = `A key counts from the second round after its registration. It starts to work in round ${countsFrom} automatically.`
    logger.info('this key does not count yet; waiting', { round, countsFrom, hint })
  }
  return countsFrom
}
