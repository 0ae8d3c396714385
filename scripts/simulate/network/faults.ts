import { randomStream } from '../../../node/model/src/base/random.ts'
import type { Swarm } from './auditSwarm.ts'
import type { EndpointFault } from './simulatedEndpoint.ts'
import { ROUND_SEC } from './simulateSwarm.ts'

const ENDPOINT_FAULTS: readonly EndpointFault[] = ['silent', 'far ahead', 'another chain', 'behind']
/** Share of solvers that crash in a round. */
const CRASHED_SHARE = 0.05
const LYING_SHARE = 0.1
/** Share of peers whose disk is full for a while, early in a round: when work is kept. */
const FULL_SHARE = 0.05
const FULL_SEC = 8

/**
 * Faults of every round, drawn from the seed: solvers crash and start again, endpoints lie for some seconds, disks are full, blocks are
 * taken back, and once links between two halves of the swarm are cut.
 */
export function faultsOf(seed: string, rounds: number): (swarm: Swarm) => void {
  return ({ time, chain, medium, peers, hostile }) => {
    const { integer, uniform } = randomStream('faults', seed)
    const solvers = peers.filter(({ member }) => member.role === 'solver' && !hostile.has(member.peerKey))
    const within = (round: number, share: number) => (60 + (round + share) * ROUND_SEC) * 1000
    for (let round = 1; round <= rounds; round++) {
      time.after(within(round, uniform()), () => chain.reorganise(1 + integer(3)))
      for (const peer of peers) {
        if (uniform() > LYING_SHARE) continue
        const endpoint = peer.endpoints[integer(peer.endpoints.length)]
        const fault = ENDPOINT_FAULTS[integer(ENDPOINT_FAULTS.length)] as EndpointFault
        const fromMs = within(round, 0.6 * uniform())
        const set = (value: EndpointFault | null) => () => {
          if (endpoint !== undefined) endpoint.fault = value
        }
        time.after(fromMs, set(fault))
        time.after(fromMs + 3_000, set(null))
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
        time.after(within(round, 0.9), () => peer.start())
      }
    }
    const half = new Set(peers.filter((_, at) => at % 2 === 0).map(({ member }) => member.peerId))
    time.after(within(1, 0.4), () => medium.partition(half))
    time.after(within(1, 0.6), () => medium.partition(new Set()))
  }
}
