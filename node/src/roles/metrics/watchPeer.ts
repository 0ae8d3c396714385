import { statfs } from 'node:fs/promises'
import { beforeAbort, withDeadline } from '#core/deadline.ts'
import type { Reachability } from '#p2p/connections/reachability.ts'
import type { PeerNode } from '../peerNode.ts'
import type { WorkerRestart } from '../reports/workerRestarts.ts'
import type { RoleName } from '../roleName.ts'

/** A peer's current state. Values of the chain are as old as the last read; null until the first. */
export type PeerState = {
  role: RoleName
  /** Round of the role's loop; null before its first. */
  round: number | null
  /** Seconds since the end of that round; negative within it. */
  pastRoundSec: number | null
  /** Length of the round. */
  roundSec: number | null
  connectedPeers: number
  /** Reason why no peer is connected; null if one is. */
  aloneReason: string | null
  advice: string | null
  /** Way in which peers of other networks reach this one. */
  reachableBy: Reachability['by']
  /** Confirmed by AutoNAT, or announced by the operator. */
  publicAddresses: number
  balanceEth: number | null
  pointsMilli: number | null
  /** Free bytes of the folder's disk. */
  freeBytes: number | null
  /** Evidence that another process runs with this peer's keys; null if there is none. */
  twin: string | null
  /** The last time within an hour that a process of models was replaced; null if none was. */
  workerRestart: WorkerRestart | null
  /** Since the chain answered the last time; null if it never did. */
  chainAgeSec: number | null
}

export type PeerWatch = {
  state(): PeerState
  /** Asks chain and disk, unless that happened a moment ago or is in progress. */
  refresh(): Promise<void>
}

type Watched = Pick<
  PeerNode,
  'chain' | 'network' | 'identity' | 'clock' | 'signal' | 'round' | 'twin' | 'workerRestarts'
>

const ASK_EVERY_MS = 30_000
/** A chain that does not answer must not delay the rest. */
const ANSWER_MS = 10_000
const WEI = 1e18

/** Observes a running peer without affecting its role. */
export function watchPeer(node: Watched, role: RoleName, data: string): PeerWatch {
  const { chain, network, identity, clock } = node
  let askedMs = Number.NEGATIVE_INFINITY
  let answeredMs: number | null = null
  let asked: Pick<PeerState, 'balanceEth' | 'pointsMilli' | 'freeBytes'> = {
    balanceEth: null,
    pointsMilli: null,
    freeBytes: null,
  }
  let asking: Promise<void> | null = null
  async function askChain(): Promise<void> {
    const [wei, pointsMilli] = await Promise.all([
      chain.readBalance(identity.address),
      chain.readPoints(identity.peerKey),
    ])
    asked = { ...asked, balanceEth: Number(wei) / WEI, pointsMilli }
    answeredMs = clock.nowMs()
  }
  /** The question that is open, or a new one: those of an outage would all be sent at its end. */
  function answerOfChain(): Promise<void> {
    asking ??= askChain().finally(() => {
      asking = null
    })
    return asking
  }
  async function askDisk(): Promise<void> {
    const { bavail, bsize } = await statfs(data)
    asked = { ...asked, freeBytes: bavail * bsize }
  }
  return {
    state() {
      const played = node.round()
      const { peers, alone } = network.connectivity()
      const { by: reachableBy, publicAddresses } = network.reachability()
      return {
        role,
        round: played?.round ?? null,
        pastRoundSec: played === null ? null : (clock.nowMs() - played.endsAtMs) / 1000,
        roundSec: played === null ? null : played.endsAtSec - played.startsAtSec,
        connectedPeers: peers,
        aloneReason: alone?.reason ?? null,
        advice: alone === null ? null : `${alone.found}. ${alone.advice}`,
        ...{ reachableBy, publicAddresses: publicAddresses.length },
        ...asked,
        twin: node.twin.current()?.evidence ?? null,
        workerRestart: node.workerRestarts.current(),
        chainAgeSec: answeredMs === null ? null : Math.round((clock.nowMs() - answeredMs) / 1000),
      }
    },
    async refresh() {
      if (clock.nowMs() - askedMs < ASK_EVERY_MS) return
      askedMs = clock.nowMs()
      // Either may fail separately; its figure then keeps its age.
      await Promise.allSettled([beforeAbort(answerOfChain(), withDeadline(node.signal, ANSWER_MS)), askDisk()])
    },
  }
}
