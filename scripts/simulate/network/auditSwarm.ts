import type { Deployment } from '../../../deployments/record.ts'
import { contractsOf } from '../../../node/src/chain/contracts.ts'
import { createChainReads } from '../../../node/src/chain/reads.ts'
import { readVotedRounds } from '../../../node/src/chain/record/readVotedRounds.ts'
import type { Hex } from '../../../node/src/core/hex.ts'
import { silentLogger } from '../../../node/src/core/logger.ts'
import { auditRound, type RoundAudit } from '../../../node/src/roles/audit/auditRound.ts'
import { derivePoints, type Finding } from '../../../node/src/roles/audit/deriveScores.ts'
import type { PeerNode } from '../../../node/src/roles/peerNode.ts'
import { cheapModels, simulatedEnvironment } from './cheapModels.ts'
import type { Medium } from './medium.ts'
import type { SimulatedChain } from './simulatedChain.ts'
import { CHAIN_ID, connect, SimulatedEndpoint } from './simulatedEndpoint.ts'
import type { SimulatedPeer } from './simulatedPeer.ts'
import { type SimulatedTime, simulatedClock } from './simulatedTime.ts'

export type Swarm = {
  deployment: Deployment
  time: SimulatedTime
  chain: SimulatedChain
  medium: Medium
  peers: readonly SimulatedPeer[]
  hostile: ReadonlySet<Hex>
}

/** Findings of `waggle audit` for a swarm: on its points from votes, and on each round from the payloads that its peers serve. */
export type SwarmAudit = { findings: Finding[]; rounds: RoundAudit[] }

/**
 * Audits a swarm with its own endpoint, and the network of a peer: events, beacons and payloads come as they come to peers.
 *
 * @param rounds - the last round that is audited.
 */
export async function auditSwarm(swarm: Swarm, rounds: number): Promise<SwarmAudit> {
  const stop = new AbortController()
  const audit = await passing(swarm.time, () => auditAs(swarm, rounds, stop.signal))
  stop.abort(new Error('audited'))
  return audit
}

async function auditAs(swarm: Swarm, rounds: number, signal: AbortSignal): Promise<SwarmAudit> {
  const { chain, deployment } = swarm
  const watching = { clock: simulatedClock, logger: silentLogger, signal }
  const endpoint = new SimulatedEndpoint('http://auditor', chain, simulatedClock, () => 10)
  const connected = await connect([endpoint], watching)
  const contracts = contractsOf(deployment)
  const reads = createChainReads(connected, contracts)
  const voted = readVotedRounds(connected, contracts, await connected.rpc.getBlockNumber())
  const { findings } = await derivePoints(voted, CHAIN_ID)

  const modules = {
    ...{ reads, chainId: CHAIN_ID, environments: [simulatedEnvironment], payloads: memberOf(swarm), signal },
    modelsOf: async () => cheapModels as never,
    nameOf: async (key: string) => key,
  }
  const audits: RoundAudit[] = []
  for (let round = 1; round <= rounds; round++) audits.push(await auditRound(modules, round, null))
  return { findings, rounds: audits }
}

/** The way to payloads of an honest peer. A stranger finds no slot where peers have twelve. */
function memberOf({ peers, hostile }: Swarm): PeerNode['fetchPlan'] {
  const member = peers.find(({ member, node }) => node !== null && !hostile.has(member.peerKey))
  if (member === undefined) throw new Error('there is no honest peer to audit with')
  return (member.node as PeerNode).fetchPlan
}

/** Lets simulated time pass until some work is done. */
async function passing<T>(time: SimulatedTime, work: () => Promise<T>): Promise<T> {
  let isDone = false
  const result = work().finally(() => {
    isDone = true
  })
  result.catch(() => undefined)
  while (!isDone) await time.runUntil(time.nowMs() + 100)
  return result
}
