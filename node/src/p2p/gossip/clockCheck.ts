import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { MAX_AHEAD_MS, type SignedMessage, signedAtMs } from './signedMessage.ts'
import { type Swarm, topicOf } from './topics.ts'

/** Each peer signs its addresses once a minute. */
const WITHIN_MS = 5 * 60_000
/** Fewer may be the ones whose clocks are wrong. */
const MIN_PEERS = 3
const MAX_PEERS = 256

/**
 * Warns once if this machine's clock disagrees with those of most peers: nothing else tells its operator that addresses signed with it
 * are ignored. Only members count: a stranger's id costs nothing.
 *
 * @param isMember - whether a peer is registered, or a bootnode.
 * @returns a function for each message that its author has just sent.
 */
export function createClockCheck(
  swarm: Swarm,
  { isMember, clock, logger }: { isMember: (peerId: string) => Promise<boolean>; clock: Clock; logger: Logger },
): (message: SignedMessage) => Promise<void> {
  const topic = topicOf(swarm, 'addresses')
  /** The newest of each peer, in the order of arrival. */
  const heard = new Map<string, { aheadMs: number; atMs: number }>()
  let hasWarned = false

  function note({ from }: SignedMessage, aheadMs: number): void {
    const atMs = clock.nowMs()
    heard.delete(from)
    heard.set(from, { aheadMs, atMs })
    for (const [peer, before] of heard) {
      if (before.atMs >= atMs - WITHIN_MS && heard.size <= MAX_PEERS) return
      heard.delete(peer)
    }
  }
  return async message => {
    if (message.topic !== topic) return
    const aheadMs = signedAtMs(message) - clock.nowMs()
    if (hasWarned || !(await isMember(message.from))) return
    note(message, aheadMs)
    if (hasWarned || heard.size < MIN_PEERS) return
    const sorted = [...heard.values()].map(({ aheadMs }) => aheadMs).sort((a, b) => a - b)
    // The same sign on both sides of the middle: of an even number, more than half.
    const [low = 0, high = 0] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
    if (low <= MAX_AHEAD_MS && high >= -MAX_AHEAD_MS) return
    hasWarned = true
    const minutes = Math.round(Math.min(Math.abs(low), Math.abs(high)) / 60_000)
    logger.warn(
      `the clock of this machine is ${minutes} minutes ${low > 0 ? 'behind' : 'ahead of'} those of most peers, which hinders them and it from learning addresses; set it and restart (npx waggle doctor checks it)`,
      { peers: heard.size },
    )
  }
}
