import type { Deployment } from '@waggle/deployments/record'
import { callChain } from '#chain/callChain.ts'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { createChainReads } from '#chain/reads.ts'
import { readVotingRecord } from '#chain/votes/readVotingRecord.ts'
import type { PeerKey } from '#core/hashes.ts'
import { peerName } from '#core/peers/peerName.ts'
import { derivePoints, type Finding } from './deriveScores.ts'
import { IndexUnusableError, readIndexedPoints } from './readIndexedPoints.ts'

export type AuditQuestion = {
  deployment: Deployment
  rpcUrl: string
  /** An indexer whose leaderboard is compared as well. */
  indexUrl: string | undefined
}

export type Audit = {
  /** The last block that counts: the one that the index has reached, else the newest. */
  block: number
  /** The newest when it began. */
  headBlock: number
  rounds: number
  settlements: number
  peers: { peerKey: PeerKey; name: string; pointsMilli: number }[]
  findings: (Finding | Omit<Finding, 'round'>)[]
}

/**
 * Every peer's points again, from the votes on the chain, compared with the points that the chain and an index have; all of
 * them as they were at one block.
 *
 * @throws {IndexUnusableError} if the index does not answer, or knows more than the chain does.
 */
export async function auditPoints({ deployment, rpcUrl, indexUrl }: AuditQuestion): Promise<Audit> {
  const client = await connectChain({ rpcUrl, deployment })
  const contracts = contractsOf(deployment)
  const reads = createChainReads(client, contracts)
  // Before the chain: what the index has seen by then, the chain has too.
  const index = indexUrl === undefined ? null : await readIndexedPoints(indexUrl, deployment.chainId)
  const head = await callChain(rpcUrl, () => client.rpc.getBlockNumber())
  const block = index === null ? head : BigInt(index.block)
  if (block > head) throw isAhead(block, head)
  const record = await readVotingRecord(client, contracts, block)
  const { rounds } = record
  const derived = await derivePoints(record, deployment.chainId, reads.readSeats)
  const { points } = derived
  const findings: Audit['findings'] = [...derived.findings]
  // Nor may an index give points to somebody of whom the votes do not know.
  for (const [peerKey, milli] of index?.points ?? []) if (milli !== 0) points.set(peerKey, points.get(peerKey) ?? 0)
  const peers = []
  for (const [peerKey, pointsMilli] of points) {
    const told: [who: string, milli: number][] = [['the chain', await reads.readPoints(peerKey, block)]]
    if (index !== null) told.push(['the index', index.points.get(peerKey) ?? 0])
    for (const [who, milli] of told)
      if (milli !== pointsMilli) findings.push({ peerKey, says: `has ${milli} by ${who}, and ${pointsMilli} by votes` })
    peers.push({ peerKey, name: peerName((await reads.readPeerId(peerKey)) ?? peerKey), pointsMilli })
  }
  const settlements = [...rounds.values()].reduce((sum, votes) => sum + votes.settlements.length, 0)
  peers.sort((a, b) => b.pointsMilli - a.pointsMilli)
  return { block: Number(block), headBlock: Number(head), rounds: rounds.size, settlements, peers, findings }
}

function isAhead(block: bigint, head: bigint): IndexUnusableError {
  return new IndexUnusableError(`The index has reached block ${block}, and this RPC endpoint only block ${head}.`, {
    hint: 'Try again in a moment. If it happens again, name the RPC endpoint that the indexer reads with --rpc.',
    retryable: true,
  })
}
