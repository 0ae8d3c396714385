import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { callChain } from './callChain.ts'
import { ChainUnreachableError } from './chainErrors.ts'
import type { ChainClient } from './connectChain.ts'
import type { Contracts } from './contracts.ts'
import { revertedWith } from './revertedWith.ts'

/** Where the chain stands. Time is that of its newest block, never the machine's. */
export type RoundTime = {
  /** -1 before round 0 starts. */
  round: number
  startsAtSec: number
  endsAtSec: number
  /** Timestamp of the newest block. */
  nowSec: number
  block: number
}

export type RoundClock = {
  /** @throws {ChainUnreachableError} */
  read(): Promise<RoundTime>
  /**
   * Resolves once the round has begun, with where the chain stands then: rounds that passed meanwhile are skipped in one
   * step. Goes on through outages of the chain; rejects with the signal's reason.
   */
  waitFor(round: number, signal: AbortSignal): Promise<RoundTime>
}

export type RoundClockModules = {
  chain: ChainClient
  contracts: Contracts
  clock: Clock
  logger: Logger
  pollMs: number
}

export function createRoundClock({ chain, contracts, clock, logger, pollMs }: RoundClockModules): RoundClock {
  // The span of a begun round never changes, so that the contract is asked once a round.
  let span: { round: number; startsAtSec: number; endsAtSec: number } | null = null

  async function spanAt(timeSec: number): Promise<NonNullable<typeof span>> {
    if (span !== null && timeSec >= span.startsAtSec && timeSec < span.endsAtSec) return span
    const { rpc, rpcUrl } = chain
    const ask = (functionName: 'startOf' | 'endOf', round: bigint) =>
      callChain(rpcUrl, () => rpc.readContract({ ...contracts.rounds, functionName, args: [round] })).then(Number)
    const round = await callChain(rpcUrl, () =>
      rpc
        .readContract({ ...contracts.rounds, functionName: 'roundAt', args: [BigInt(timeSec)] })
        .catch(error => (revertedWith(error)?.startsWith('Rounds_NotStarted') ? null : Promise.reject(error))),
    )
    if (round === null) return { round: -1, startsAtSec: 0, endsAtSec: await ask('startOf', 0n) }
    const [startsAtSec, endsAtSec] = await Promise.all([ask('startOf', round), ask('endOf', round)])
    span = { round: Number(round), startsAtSec, endsAtSec }
    return span
  }

  async function read(): Promise<RoundTime> {
    const head = await callChain(chain.rpcUrl, () => chain.rpc.getBlock({ blockTag: 'latest' }))
    const nowSec = Number(head.timestamp)
    return { ...(await spanAt(nowSec)), nowSec, block: Number(head.number) }
  }

  return {
    read,
    async waitFor(round, signal) {
      let outage = false
      for (;;) {
        signal.throwIfAborted()
        try {
          const time = await read()
          if (outage) logger.info('the chain answers again', { round: time.round })
          outage = false
          if (time.round >= round) return time
        } catch (error) {
          if (!(error instanceof ChainUnreachableError)) throw error
          if (!outage) logger.warn('waiting for the chain', { error })
          outage = true
        }
        await clock.sleep(pollMs, signal)
      }
    },
  }
}
