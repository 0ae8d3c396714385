import { NEVER_SEC } from '@waggle/deployments/protocol'
import { callChain } from '../callChain.ts'
import { ChainUnreachableError } from '../chainErrors.ts'
import type { FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { TakenHead } from '../guard/followedHead.ts'
import { revertedWith } from '../revertedWith.ts'

/** The chain's current round and time. The time is that of its newest block, never the machine's. */
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
  /** By the newest block, asked for now. @throws {ChainUnreachableError} */
  read(): Promise<RoundTime>
  /** By a block that was seen a moment ago at the most. @throws {ChainUnreachableError} */
  recent(): Promise<RoundTime>
  /**
   * Resolves once the round has begun, with the chain's time then: rounds that passed meanwhile are skipped. Waits through outages of the chain;
   * rejects with the signal's reason. Also resolves if the round before it was returned, and the chain has fallen back by rounds since: its earlier time
   * was wrong.
   */
  waitFor(round: number, signal: AbortSignal): Promise<RoundTime>
}

/** A reorganisation over a round's start takes back one round. */
const REORGANISED_ROUNDS = 2

/** Returned rounds that are remembered. A caller that plays a round for longer has missed more than this. */
const TOLD = 64

export function createRoundClock({ rpc, rpcUrl, heads }: FollowedChain, { rounds }: Contracts): RoundClock {
  // The span of a begun round never changes, so that the contract is asked once a round; one that is ended by hand does.
  let span: { round: number; startsAtSec: number; endsAtSec: number } | null = null

  /** Rounds that were returned, the newest last. */
  const told = new Set<number>()
  /** Whether a round that a caller waits for follows one that was wrong: the chain has fallen back by rounds since. */
  const isFalse = (awaited: number, { round }: RoundTime) =>
    told.has(awaited - 1) && round < awaited - 1 - REORGANISED_ROUNDS

  const invalid = (reason: string, cause?: unknown) =>
    new ChainUnreachableError(`The chain at ${rpcUrl} gave no valid answer (${reason}).`, {
      hint: 'Check that the RPC URL is of the right chain; a running peer resumes as soon as it answers.',
      retryable: true,
      cause,
    })
  /** The contract refuses none of these reads: an endpoint that says so is at fault. */
  const read = <T>(work: () => Promise<T>): Promise<T> =>
    callChain(rpcUrl, work).catch(cause => {
      const reverted = revertedWith(cause)
      throw reverted === null ? cause : invalid(reverted, cause)
    })

  async function spanAt(timeSec: number): Promise<NonNullable<typeof span>> {
    if (span !== null && timeSec >= span.startsAtSec && timeSec < span.endsAtSec) return span
    const ask = (functionName: 'startOf' | 'endOf', round: bigint) =>
      read(() => rpc.readContract({ ...rounds, functionName, args: [round] })).then(Number)
    const round = await read(() =>
      rpc
        .readContract({ ...rounds, functionName: 'roundAt', args: [BigInt(timeSec)] })
        .catch(error => (revertedWith(error)?.startsWith('Rounds_NotStarted') ? null : Promise.reject(error))),
    )
    if (round === null) return { round: -1, startsAtSec: 0, endsAtSec: await ask('startOf', 0n) }
    const [startsAtSec, endsAtSec] = await Promise.all([ask('startOf', round), ask('endOf', round)])
    const found = { round: Number(round), startsAtSec, endsAtSec }
    // A false end that is kept would stop the peer until then. The second question is another request than the first.
    if ((await ask('startOf', round + 1n)) !== endsAtSec) throw invalid(`two ends of round ${round}`)
    span = endsAtSec < NEVER_SEC ? found : null
    return found
  }

  const timeOf = async ({ timeSec, number }: TakenHead): Promise<RoundTime> => {
    const time = { ...(await spanAt(timeSec)), nowSec: timeSec, block: number }
    told.delete(time.round)
    told.add(time.round)
    if (told.size > TOLD) told.delete(Math.min(...told))
    return time
  }

  return {
    read: async () => timeOf(await heads.read()),
    recent: async () => timeOf(await heads.recent()),
    async waitFor(round, signal) {
      for (let head: TakenHead | null = null; ; ) {
        signal.throwIfAborted()
        try {
          head = head === null ? await heads.recent() : head
          const time = await timeOf(head)
          if (time.round >= round || isFalse(round, time)) return time
          head = await heads.next(signal, {
            fromSec: time.endsAtSec < NEVER_SEC ? time.endsAtSec : 0,
            after: time.block,
          })
        } catch (error) {
          if (!(error instanceof ChainUnreachableError)) throw error
          head = await heads.next(signal).catch(again => (signal.aborted ? Promise.reject(again) : null))
        }
      }
    },
  }
}
