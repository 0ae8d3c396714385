import { randomStream } from '../../../node/model/src/base/random.ts'
import type { Swarm } from './auditSwarm.ts'
import { type EndpointFault, endpointFaults } from './simulatedEndpoint.ts'
import type { SimulatedPeer } from './simulatedPeer.ts'
import { ROUND_SEC, START_EVERY_MS } from './simulateSwarm.ts'

/** Share of solvers that crash in a round. */
const CRASHED_SHARE = 0.05
const LYING_SHARE = 0.1
/** Share of starts at which the first header is of next year. */
const FALSE_START_SHARE = 0.25
/** How long an endpoint lies or fails. */
const LYING_MS = 3_000
/** Share of peers whose disk is full for a while, early in a round: when work is kept. */
const FULL_SHARE = 0.05
const FULL_SEC = 8

/**
 * Faults of every round, drawn from the seed: solvers crash and start again, endpoints lie for some seconds, disks are full, blocks are
 * taken back, and once links between two halves of the swarm are cut. Some endpoints lie from their first answer after a start on.
 */
export function faultsOf(seed: string, rounds: number): (swarm: Swarm) => void {
  return ({ time, chain, medium, peers, hostile }) => {
    const { integer, uniform } = randomStream('faults', seed)
    const solvers = peers.filter(({ member }) => member.role === 'solver' && !hostile.has(member.peerKey))
    const lie = ({ endpoints }: SimulatedPeer, fault: EndpointFault, fromMs: number) => {
      const endpoint = endpoints[integer(endpoints.length)]
      const set = (value: EndpointFault | null) => () => {
        if (endpoint !== undefined) endpoint.fault = value
      }
      time.after(fromMs, set(fault))
      time.after(fromMs + LYING_MS, set(null))
    }
    const within = (round: number, share: number) => (60 + (round + share) * ROUND_SEC) * 1000
    for (const [at, peer] of peers.entries())
      if (uniform() < FALSE_START_SHARE) lie(peer, 'far ahead', at * START_EVERY_MS)
    for (let round = 1; round <= rounds; round++) {
      time.after(within(round, uniform()), () => chain.reorganise(1 + integer(3)))
      for (const peer of peers) {
        if (uniform() > LYING_SHARE) continue
        const fault = endpointFaults[integer(endpointFaults.length)] as EndpointFault
        lie(peer, fault, within(round, 0.6 * uniform()))
      }
      for (const peer of peers) {
        if (uniform() > FULL_SHARE) continue
        const set = (isFull: boolean) => () => {
          peer.isDiskFull = isFull
        }
        const fromMs = within(round, 0.1 * uniform())
        time.after(fromMs, set(true))
        time.after(fromMs + FULL_SEC * 1_000, set(false))
      }
      for (const peer of solvers) {
        if (uniform() > CRASHED_SHARE) continue
        // After its answers are committed, and back before its bundle is scored.
        time.after(within(round, 0.7), () => void peer.crash())
        if (uniform() < FALSE_START_SHARE) lie(peer, 'far ahead', within(round, 0.9))
        time.after(within(round, 0.9), () => peer.start())
      }
    }
    const half = new Set(peers.filter((_, at) => at % 2 === 0).map(({ member }) => member.peerId))
    time.after(within(1, 0.4), () => medium.partition(half))
    time.after(within(1, 0.6), () => medium.partition(new Set()))
  }
}
