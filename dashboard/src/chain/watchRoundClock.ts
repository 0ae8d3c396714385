import { NEVER_SEC } from '@waggle/deployments/protocol'
import type { Network } from '#sources/network.ts'
import { type NoAnswer, readBlockSec, readChainId, readRounds } from './readRounds.ts'
import { chainSkewSec, type RoundClock, type RunningRound } from './roundClock.ts'

/** A local chain has a block per second; every second block is enough for a countdown. */
const POLL_MS = 2_000

async function readRunningRound(rounds: Network['rounds']): Promise<RunningRound | NoAnswer> {
  const round = await readRounds(rounds, 'currentRound')
  if (typeof round === 'string') return round
  const [startsAtSec, endsAtSec, finalityRounds] = await Promise.all([
    readRounds(rounds, 'startOf', round),
    readRounds(rounds, 'endOf', round),
    readRounds(rounds, 'FINALITY_ROUNDS'),
  ])
  if (typeof startsAtSec === 'string') return startsAtSec
  if (typeof endsAtSec === 'string') return endsAtSec
  if (typeof finalityRounds === 'string') return finalityRounds
  return { round, startsAtSec, endsAtSec, finalityRounds }
}

/** Whether a time can only be of this round. A chain that was reset goes back in time, and a round that is ended by hand may end at any time. */
const isWithin = ({ startsAtSec, endsAtSec }: RunningRound, timestampSec: number) =>
  timestampSec >= startsAtSec && timestampSec < endsAtSec && endsAtSec !== NEVER_SEC

/** The state that a missing answer of Rounds stands for. Rounds reverts before its first round only. */
async function explain(
  missing: NoAnswer,
  { rounds, rpcOrigin: url }: Network,
  time: { blockSec: number; skewSec: number },
): Promise<RoundClock> {
  if (missing === 'noContract') return { state: 'noContract', url }
  const startsAtSec = await readRounds(rounds, 'startOf', 0)
  return typeof startsAtSec === 'string' ? { state: 'down', url } : { state: 'waiting', startsAtSec, ...time }
}

/**
 * Follows the current round on the chain: one small read a poll, and the contract only when the round may have changed.
 *
 * @returns stops watching.
 */
export function watchRoundClock(network: Network, onChange: (clock: RoundClock) => void): () => void {
  let stopped = false
  let skewSec: number | null = null
  let running: RunningRound | null = null
  let chainChecked = false
  const { chainId: expected, rpcOrigin: url } = network

  async function onBlock(timestampSec: number): Promise<RoundClock> {
    skewSec = chainSkewSec(skewSec, timestampSec - Date.now() / 1000)
    if (!chainChecked) {
      const found = await readChainId()
      if (found !== expected) return { state: 'wrongChain', url, expected, found }
      chainChecked = true
    }
    const read = running !== null && isWithin(running, timestampSec) ? running : await readRunningRound(network.rounds)
    running = typeof read === 'string' ? null : read
    const time = { blockSec: timestampSec, skewSec }
    return typeof read === 'string' ? explain(read, network, time) : { state: 'running', ...read, ...time }
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  let seen: number | null = null
  async function poll(): Promise<void> {
    let clock: RoundClock | null = null
    try {
      const timestampSec = await readBlockSec()
      if (timestampSec !== seen) clock = await onBlock(timestampSec)
      seen = timestampSec
    } catch {
      // The chain that comes back may be another one.
      chainChecked = false
      running = null
      seen = null
      clock = { state: 'down', url }
    }
    if (stopped) return
    if (clock !== null) onChange(clock)
    timer = setTimeout(poll, POLL_MS)
  }
  void poll()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
