import { setTimeout as pause } from 'node:timers/promises'
import { createManualClock } from '#core/clock.ts'
import type { LocalChain } from './localChain.ts'

/** Chain time in a step. */
const STEP_SEC = 50
/** Default real time between steps, in which everything else can run. */
const PAUSE_MS = 15
/** From here on time passes slowly, so that a slow machine is not late. */
const SLOW_FROM = 0.9
const SLOW_PAUSE_MS = 100

/**
 * Time of a chain and of the peers on it, which passes fast but never leaves a round by itself: rounds are entered when the test
 * says so, and what peers put off within a round comes at once.
 */
export function startFastTime(
  chain: LocalChain,
  rounds: { startsAtSec: number; roundSeconds: number },
  pauseMs = PAUSE_MS,
) {
  const clock = createManualClock(Date.now())
  const slowPauseMs = Math.max(SLOW_PAUSE_MS, 4 * pauseMs)
  const startOf = (round: number) => rounds.startsAtSec + round * rounds.roundSeconds
  let stopped = false
  // Before the first one.
  let round = -1
  let slowFrom = SLOW_FROM

  let movedTo: number | undefined

  /** Moves the chain to a moment, and the peers' clock by as much, with the second that each block took since the last move. */
  async function moveTo(timeSec: number): Promise<void> {
    const timestamp = Number((await chain.client.getBlock()).timestamp)
    const next = Math.max(timestamp + 1, timeSec)
    await chain.travelTo(next)
    clock.advance((next - (movedTo ?? timestamp)) * 1000)
    movedTo = next
  }

  async function run(): Promise<void> {
    while (!stopped) {
      const slowFromSec = startOf(round) + slowFrom * rounds.roundSeconds
      const { timestamp } = await chain.client.getBlock()
      const restSec = startOf(round + 1) - Number(timestamp)
      const isSlow = Number(timestamp) >= slowFromSec
      await moveTo(isSlow ? 0 : Math.min(slowFromSec, Number(timestamp) + STEP_SEC))
      // Slower and slower, so that a busy machine gets as many of the last steps as an idle one.
      const slowMs = (slowPauseMs * (startOf(round + 1) - slowFromSec)) / Math.max(1, restSec)
      await pause(isSlow ? slowMs : pauseMs)
    }
  }

  let running: Promise<void> | undefined
  const resume = () => {
    stopped = false
    running = run()
  }
  const rest = async () => {
    stopped = true
    await running
  }
  resume()
  return {
    clock,
    stop: rest,
    /** Begins a round. @param slowFromShare - of the round, from which its time passes slowly. */
    async enter(next: number, slowFromShare = SLOW_FROM): Promise<void> {
      await rest()
      round = next
      slowFrom = slowFromShare
      await moveTo(startOf(next))
      resume()
    },
    /** Lets a round that passes slowly pass fast again. */
    hasten(): void {
      slowFrom = SLOW_FROM
    },
  }
}
