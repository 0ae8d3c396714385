import { generateKeyPair, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import type { ChainReads } from '#chain/reads.ts'
import type { Clock } from '#core/clock.ts'
import { withDeadline } from '#core/deadline.ts'
import type { Logger } from '#core/logger.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import type { AnnouncementKind, Swarm } from '#p2p/gossip/topics.ts'
import { isLoopback } from '#p2p/membership/dialable.ts'
import { type Network, startNetwork } from '#p2p/network.ts'
import type { FetchLimits } from '../fetch/fetchLimits.ts'
import { createFetchPlan, type FetchPlan } from '../fetch/fetchPlan.ts'
import type { FetchKind } from '../fetch/holders.ts'
import { peerFault } from '../fetch/peerResult.ts'

/** Every payload is public, and fetching has no deadline. */
const unhurried = { opensAtMs: () => 0, roundMs: () => Number.POSITIVE_INFINITY }
/** Time for the first bootnode to answer. */
const MEET_MS = 15_000

type PeerPayloadsOptions = {
  swarm: Swarm
  /** Multiaddrs, including those on the chain; if there are none, nobody is asked. */
  bootnodes: readonly string[]
  reads: Pick<ChainReads, 'readPeerId' | 'readRegistered'>
  maxBytes: (kind: FetchKind) => number
  currentRound: () => number
  clock: Clock
  logger: Logger
  signal: AbortSignal
  limits: FetchLimits
}

/** Fetches payloads in sequence: an audit has no deadline. */
export type PeerPayloads = Pick<FetchPlan, 'fetch'> & { close(): Promise<void> }

/**
 * Fetches payloads from peers for an auditor: with a temporary key, no open port, and nothing kept. It joins the network with the first
 * fetch.
 */
export function createPeerPayloads(options: PeerPayloadsOptions): PeerPayloads {
  const { bootnodes, reads, maxBytes, clock, logger, signal: stopping, limits } = options
  let joining: Promise<{ network: Network; plan: FetchPlan }> | undefined

  async function join() {
    const network = await startNetwork({
      ...{ swarm: options.swarm, bootnodes, currentRound: options.currentRound, clock, logger },
      follows: false,
      privateKey: privateKeyToProtobuf(await generateKeyPair('secp256k1')),
      // Loopback addresses are dialled from loopback alone.
      listen: bootnodes.every(isLoopback) ? ['/ip4/127.0.0.1/tcp/0'] : [],
      maxBytes: (kind: AnnouncementKind) => maxBytes(kind),
      lookUp: peerIds => reads.readRegistered(peerIds.map(peerKeyOf)),
      bundles: { open: async () => null },
    })
    // The first peer that answers provides addresses and announcements.
    await network.waitForPeers(1, withDeadline(stopping, MEET_MS)).catch(() => undefined)
    await Promise.all(network.connectedPeers().map(peerId => network.catchUp(peerId)))
    const bundles = {
      has: () => false,
      get: async () => null,
      keep: async () => 'over quota' as const,
      renew: async () => {},
    }
    const { readPeerId } = reads
    const modules = { network, bundles, readPeerId, clock, logger, signal: stopping }
    const plan = createFetchPlan(modules, { maxBytes, ...unhurried, limits })
    return { network, plan }
  }

  async function fetch(wanted: Parameters<FetchPlan['fetch']>[0], signal: AbortSignal) {
    if (bootnodes.length === 0) return peerFault('unavailable', 'no bootnode is known, so that no peer can be asked')
    joining ??= join()
    const { plan } = await joining
    return plan.fetch(wanted, signal)
  }

  return {
    fetch,
    async close() {
      const joined = await joining?.catch(() => undefined)
      await joined?.network.stop()
    },
  }
}
