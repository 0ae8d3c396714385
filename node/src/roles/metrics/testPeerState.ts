import type { PeerState } from './watchPeer.ts'

/** State of a solver without any problem. */
export const wellPeer: PeerState = {
  ...{
    role: 'solver',
    round: 1,
    pastRoundSec: -5,
    roundSec: 20,
    connectedPeers: 3,
    aloneReason: null,
    advice: null,
    reachableBy: 'direct',
    publicAddresses: 1,
  },
  ...{ balanceEth: 1, pointsMilli: 0, freeBytes: 2 ** 40, chainAgeSec: 1, twin: null, workerRestart: null },
}
