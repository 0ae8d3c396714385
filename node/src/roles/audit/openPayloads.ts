import type { ChainReads } from '#chain/reads.ts'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { formatSizes } from '#core/payloads/payloadSizes.ts'
import type { Environment } from '#environments/environment.ts'
import { deploymentTag } from '#p2p/gossip/topics.ts'
import { readKeptBundle } from '#store/readKeptBundle.ts'
import { readableBootnodes } from '../bootnode/readableBootnodes.ts'
import { type FetchLimits, fetchLimits } from '../fetch/fetchLimits.ts'
import { largestPolicy } from '../models/largestPolicy.ts'
import type { AuditQuestion } from './auditPoints.ts'
import { createPeerPayloads, type PeerPayloads } from './peerPayloads.ts'

export type PayloadSources = Omit<AuditQuestion, 'indexUrl'> & {
  /** A folder whose payloads are used before those of peers. */
  data: string
  /** Multiaddrs of peers to meet first, next to those on the chain. */
  bootnodes: readonly string[]
  /** Those that decide how large a policy may be. */
  environments: readonly Environment[]
  clock: Clock
  logger: Logger
  signal: AbortSignal
  /** Of what a peer may send, and how slowly. */
  limits?: FetchLimits
}

/** The source of payloads: first the folder, then peers. */
export async function openPayloads(
  sources: PayloadSources,
  reads: ChainReads,
  currentRound: () => number,
): Promise<PeerPayloads> {
  const { deployment, data, environments, clock, logger, signal, limits = fetchLimits } = sources
  const addresses = Object.values(deployment.contracts).map(({ address }) => address)
  const policyBytes = Math.max(...(await Promise.all(environments.map(largestPolicy))))
  const peers = createPeerPayloads({
    swarm: { chainId: deployment.chainId, deployment: deploymentTag(addresses) },
    bootnodes: [...sources.bootnodes, ...readableBootnodes(await reads.readBootnodes(), logger)],
    maxBytes: kind => (kind === 'policy' ? policyBytes : formatSizes[kind]),
    ...{ reads, currentRound, clock, logger, signal, limits },
  })
  return {
    ...peers,
    async fetch(wanted, giveUp) {
      const kept = await readKeptBundle(data, wanted.round, wanted.contentId)
      return kept === null ? peers.fetch(wanted, giveUp) : { ok: true, value: kept }
    },
  }
}
