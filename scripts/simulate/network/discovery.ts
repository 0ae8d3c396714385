import { randomStream } from '../../../node/model/src/base/random.ts'
import { silentLogger } from '../../../node/src/core/logger.ts'
import { addressOf, Medium } from './medium.ts'
import { joinNetwork, type SimulatedNetwork, signatureOf } from './simulatedNetwork.ts'
import { EPOCH_MS, inSimulatedTime, simulatedClock } from './simulatedTime.ts'
import { peerIdOf } from './simulateSwarm.ts'

type DiscoveryOptions = {
  seed: string
  /** Honest and registered. */
  peers: number
  /** Share of all addresses that are of sybils: they cost nothing, are not registered, and hand nothing on. */
  sybilShare: number
  /** A round, seconds: the time that a peer has. */
  roundSec: number
}

type Discovery = {
  honest: number
  /** Peers that reach every author that they need. */
  reaching: number
  /** Authors that somebody needed and did not reach. */
  missed: number
  /** Seconds until no peer missed any author, or the round was over. */
  afterSec: number
}

/** Authors that a peer needs in a round: a shard that it scores, or peers to learn from. */
const NEEDED = 16
const BOOTNODES = 2
/** As a node has them by default. */
const [TARGET_PEERS, MAX_CONNECTIONS] = [16, 128]

/**
 * How many peers of a swarm that starts all at once find who they need within its first round, from two bootnodes.
 *
 * Book, admission, slots, dialling and address gossip are the node's; there are no roles.
 */
export function simulateDiscovery({ seed, peers, sybilShare, roundSec }: DiscoveryOptions): Promise<Discovery> {
  return inSimulatedTime(seed, async time => {
    const medium = new Medium(time, { latencyMs: [20, 150], loss: 0.01 })
    const sybils = Math.round((peers * sybilShare) / (1 - sybilShare))
    const ids = Array.from({ length: peers + sybils }, (_, at) => peerIdOf(at))
    const registered = new Set(ids.slice(0, peers))
    const bootnodes = ids.slice(0, BOOTNODES).map((peerId, at) => addressOf(at, peerId))
    const stops: AbortController[] = []
    const networks: SimulatedNetwork[] = []
    const join = (peerId: string, at: number) => {
      // One signal per peer: adding a listener costs time in the number of existing ones.
      const stop = new AbortController()
      stops.push(stop)
      return joinNetwork({
        ...{ medium: registered.has(peerId) ? medium : mute(medium, peerId), peerId, bootnodes },
        ...{ address: addressOf(at, peerId), targetPeers: TARGET_PEERS, maxConnections: MAX_CONNECTIONS },
        ...{ clock: simulatedClock, logger: silentLogger, signal: stop.signal },
        swarm: { chainId: 1, deployment: 'discovery' },
        currentRound: () => 0,
        maxBytes: () => 0,
        lookUp: async (asked: readonly string[]) => asked.map(one => registered.has(one)),
        store: { load: () => [], write() {} },
        bundles: { get: async () => null },
      })
    }
    for (const [at, peerId] of ids.entries()) time.after(0, () => void networks.push(join(peerId, at)))
    let found: Discovery = { honest: peers, reaching: 0, missed: Number.POSITIVE_INFINITY, afterSec: 0 }
    // Registered peers are not forgotten within a round: once all are reached, the rest of the round can be skipped.
    for (let sec = 1; sec <= roundSec && found.missed > 0; sec++) {
      await time.runUntil(EPOCH_MS + sec * 1_000)
      found = { ...discoveryOf(networks.slice(0, peers), medium, seed), afterSec: sec }
    }
    for (const stop of stops) stop.abort()
    const ended = Promise.all(networks.map(network => network.stop()))
    await time.runUntil(time.nowMs() + 60_000)
    await ended
    return found
  })
}

/** A sybil takes part in everything, says where it is, and hands no message of others on. */
function mute(medium: Medium, peerId: string): Medium {
  const send: Medium['send'] = (from, to, topic, bytes, id) => {
    if (Buffer.from(bytes).includes(Buffer.from(signatureOf(peerId)))) medium.send(from, to, topic, bytes, id)
  }
  return new Proxy(medium, {
    get(target, name) {
      if (name === 'send') return send
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Counts the peers that reach all others that they need: they are connected to them, or know their addresses. */
function discoveryOf(networks: readonly SimulatedNetwork[], medium: Medium, seed: string): Omit<Discovery, 'afterSec'> {
  const random = randomStream('needed authors', seed)
  let [reaching, missed] = [0, 0]
  for (const { peerId, membership } of networks) {
    const needed = Array.from({ length: NEEDED }, () => networks[random.integer(networks.length)] as SimulatedNetwork)
    const unknown = needed.filter(
      author =>
        author.peerId !== peerId &&
        !medium.linksOf(peerId).includes(author.peerId) &&
        !membership.addressesOf(author.peerId).includes(medium.addressOf(author.peerId)),
    )
    if (unknown.length === 0) reaching += 1
    missed += unknown.length
  }
  return { honest: networks.length, reaching, missed }
}
