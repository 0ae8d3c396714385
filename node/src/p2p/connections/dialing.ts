import type { Clock } from '#core/clock.ts'
import { withDeadline } from '#core/deadline.ts'
import type { Logger } from '#core/logger.ts'
import type { Dial, DialSchedule } from '../membership/dialSchedule.ts'

type Dialing = {
  /** Reads the schedule again now: there may be a new peer to dial. */
  wake(): void
  stop(): Promise<void>
}

/** Connects to one address. @returns the peer that answered. Rejects if none does. */
type Dialer = (address: string, signal: AbortSignal) => Promise<string>

type Options = { schedule: DialSchedule; dial: Dialer; clock: Clock; logger: Logger }

const DIAL_TIMEOUT_MS = 5000
/** Dials run in parallel, so that an unresponsive peer does not delay others. */
const PARALLEL_DIALS = 8
/** A new connection is followed by some dozens of milliseconds of handshakes and questions, on both sides. */
const BETWEEN_DIALS_MS = 250
/** A peer that learns of a thousand others at once reads the schedule no more often than it dials. */
const MIN_REST_MS = BETWEEN_DIALS_MS

/**
 * Dials according to the schedule, forever, several at a time.
 *
 * Ours instead of libp2p's keep-alive tags, which give up after five tries and do not always heal a partition.
 */
export function startDialing({ schedule, dial, clock, logger }: Options): Dialing {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let woken = false
  let endNap = (): void => {}
  const wake = (): void => {
    woken = true
    endNap()
  }

  async function attempt(one: Dial): Promise<void> {
    try {
      schedule.ended(one, await dial(one.route.address, withDeadline(stopping.signal, DIAL_TIMEOUT_MS)))
    } catch (cause) {
      schedule.ended(one, undefined)
      if (stopping.signal.aborted) return
      logger.debug('dial failed', { peer: one.peer.peerId, address: one.route.address, cause })
    }
  }
  function begin(one: Dial): void {
    const ended = attempt(one).finally(() => {
      running.delete(ended)
      wake()
    })
    running.add(ended)
  }
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const one = running.size < PARALLEL_DIALS ? schedule.next() : null
      if (one === null) await rest(schedule.waitMs())
      else {
        begin(one)
        await sleep(BETWEEN_DIALS_MS, stopping.signal)
      }
    }
    await Promise.all(running)
  }
  /** Sleeps until the time, a wake-up or the end, and at least {@link MIN_REST_MS}. */
  async function rest(ms: number): Promise<void> {
    await sleep(MIN_REST_MS, stopping.signal)
    const nap = new AbortController()
    endNap = () => nap.abort()
    const signal = AbortSignal.any([nap.signal, stopping.signal])
    if (!woken && ms > MIN_REST_MS) await sleep(ms - MIN_REST_MS, signal)
    endNap = () => {}
    woken = false
  }
  async function sleep(ms: number, signal: AbortSignal): Promise<void> {
    await clock.sleep(ms, signal).catch(cause => {
      if (!signal.aborted) throw cause
    })
  }

  const done = run().catch(cause => logger.error('stopped dialling', { cause }))
  return {
    wake,
    async stop() {
      stopping.abort()
      await done
    },
  }
}
