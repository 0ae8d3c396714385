import type { PeerState } from './watchPeer.ts'

/** Rounds that a peer may be behind before it counts as stuck. */
const STUCK_ROUNDS = 2
const CHAIN_SILENT_SEC = 180

/** Whether a round has been over for so long that the role is stuck: a restart may help. */
export function isBehind({ pastRoundSec, roundSec }: PeerState): boolean {
  return pastRoundSec !== null && roundSec !== null && pastRoundSec > STUCK_ROUNDS * roundSec + 60
}

/** Whether a restart would help, with the reason. */
export function healthOf(state: PeerState): { ok: boolean } & PeerState {
  return { ok: !isBehind(state), ...state }
}

/** Reasons that prevent a peer from taking part; empty if it is ready. */
export function notReadyFor(state: PeerState, countsFrom: number): string[] {
  const { round, aloneReason, chainAgeSec, connectedPeers } = state
  return [
    round === null ? ['no round has begun here'] : [],
    round !== null && round < countsFrom ? [`the key counts from round ${countsFrom} on`] : [],
    connectedPeers === 0 ? [`no peer is connected: ${aloneReason}`] : [],
    chainAgeSec === null || chainAgeSec > CHAIN_SILENT_SEC ? ['the chain does not answer'] : [],
    isBehind(state) ? ['the role is behind by rounds'] : [],
  ].flat()
}
