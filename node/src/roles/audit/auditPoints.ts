import type { Deployment } from '@waggle/deployments/record'
import { NodeError } from '#base/errors.ts'
import { connectChain, type FollowedChain } from '#chain/connectChain.ts'
import { type Contracts, contractsOf } from '#chain/contracts.ts'
import type { TakenHead } from '#chain/guard/followedHead.ts'
import { type RegisteredPeer, readPeers } from '#chain/peers/readPeers.ts'
import { readVotedRounds } from '#chain/record/readVotedRounds.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Patience } from '#core/patience.ts'
import { peerName } from '#core/peers/peerName.ts'
import { splitUrls } from '#core/redactUrls.ts'
import { askEndpoints } from './askEndpoints.ts'
import { auditedDepth, isOld, readHead, requireRecent, timeOf } from './auditHeads.ts'
import { derivePoints, type Finding } from './deriveScores.ts'
import { type IndexedPoints, IndexUnusableError, readIndexedPoints } from './readIndexedPoints.ts'
import { readBlock, readPointsAt, readState, requireWhole } from './recordedState.ts'

export type AuditQuestion = {
  deployment: Deployment
  rpcUrl: string
  /** Limits the time that slow answers may take. */
  patience?: Patience
  /** An indexer whose leaderboard is compared too. */
  indexUrl: string | undefined
}

export type Audit = {
  /** The block of the comparison: the one that the index has reached, else one that a reorganisation does not take back. */
  block: number
  /** Its time, ISO 8601. */
  blockTime: string
  /** The newest that all endpoints have. */
  headBlock: number
  /** Whether the block is so old that the endpoints, the index or the chain seem to have stopped: later votes are not checked. */
  isOld: boolean
  rounds: number
  settlements: number
  peers: { peerKey: PeerKey; name: string; pointsMilli: number }[]
  findings: (Finding | Omit<Finding, 'round'>)[]
  /** Origins of the endpoints that were read and agree. A single one is believed. */
  endpoints: string[]
}

/**
 * Recomputes every peer's points from the votes on the chain, and compares them with the points of the chain and of an index, all at one
 * block. Of several endpoints each is read, since one may leave out events; those that do not answer are not counted.
 *
 * Peers are read first: state is then read at a recent block, since endpoints keep that of few blocks.
 *
 * @throws {IndexUnusableError} if the index does not answer, or is ahead of the chain.
 * @throws {StaleEndpointError} if the block that all endpoints have is far behind one of them.
 * @throws {StateUnavailableError} if an endpoint lacks the block or its state: without it, one that lags would be believed alone.
 * @throws {EventsMissingError} if the contract counts points in rounds of which an endpoint lacks events.
 * @throws {EndpointsDisagreeError} if two endpoints have different votes.
 */
export async function auditPoints({ deployment, rpcUrl, indexUrl, patience }: AuditQuestion): Promise<Audit> {
  const contracts = contractsOf(deployment)
  const named = splitUrls(rpcUrl).map(url => ({ rpcUrl: url }))
  const connected = await askEndpoints(named, async endpoint => {
    const client = await connectChain({ ...endpoint, deployment, patience })
    const { number } = await readHead(client, contracts)
    return { ...client, registered: await readPeers(client, contracts, number) }
  })
  // Before the newest blocks, so that the chain has everything that the index has.
  const index = indexUrl === undefined ? null : await readIndexedPoints(indexUrl, deployment.chainId, patience)
  const clients = await askEndpoints(connected, async client => ({
    ...client,
    head: await readHead(client, contracts),
  }))
  const lowest = clients.reduce((one, client) => (client.head.number < one.head.number ? client : one))
  const { head } = lowest
  const block = index?.block ?? lastingBlock(head.number, contracts, deployment)
  if (block > head.number) throw isAhead(block, head.number)
  const audits = await askEndpoints(clients, client => auditAt(client, { contracts, block, index, lowest }))
  const [first, ...others] = audits as [EndpointAudit, ...EndpointAudit[]]
  for (const other of others) requireSame(first, other)
  const { endpoint, hash, timeSec, ...found } = first
  return {
    blockTime: timeOf(timeSec),
    ...{ block, headBlock: head.number, isOld: isOld(timeSec, head.atMs, contracts) },
    ...{ endpoints: audits.map(audit => audit.endpoint), ...found },
  }
}

/** The newest block to audit, that all contracts are on. */
function lastingBlock(newest: number, contracts: Contracts, deployment: Deployment): number {
  const startBlocks = Object.values(deployment.contracts).map(({ startBlock }) => startBlock)
  return Math.max(newest - auditedDepth(contracts), ...startBlocks)
}

type AuditedChain = FollowedChain & { head: TakenHead; registered: readonly RegisteredPeer[] }
/** `lowest`: the endpoint whose newest block decided the audited one, where there is no index. */
type AuditedBlock = { contracts: Contracts; block: number; index: IndexedPoints | null; lowest: AuditedChain }
type EndpointAudit = Pick<Audit, 'rounds' | 'settlements' | 'peers' | 'findings'> & {
  endpoint: string
  /** Of the audited block. */
  hash: string
  timeSec: number
}

/** The audit by the word of one endpoint. */
async function auditAt(client: AuditedChain, asked: AuditedBlock): Promise<EndpointAudit> {
  const { contracts, block, index, lowest } = asked
  const { rpcUrl, registered } = client
  const peerIds = new Map(registered.map(({ peerKey, peerId }) => [peerKey, peerId]))
  const { hash, timeSec } = await readBlock(client, block)
  if (index === null) requireRecent(client, { number: block, timeSec }, auditedDepth(contracts), lowest)
  const peerKeys = new Set([...peerIds.keys(), ...(index?.points.keys() ?? [])])
  const state = await readState(client, contracts, block, [...peerKeys])
  const derived = await derivePoints(readVotedRounds(client, contracts, BigInt(block)), contracts.chainId)
  requireWhole(client, derived, state)
  if ((await readBlock(client, block)).hash !== hash) throw wasReplaced(rpcUrl, block)

  const { points, rounds } = derived
  const findings: Audit['findings'] = [...derived.findings]
  // Neither the chain nor an index may give points to peers without votes.
  for (const told of [state.points, index?.points ?? []])
    for (const [peerKey, milli] of told) if (milli !== 0) points.set(peerKey, points.get(peerKey) ?? 0)
  const late = [...points].flatMap(([peerKey, milli]) => (milli !== 0 && !state.points.has(peerKey) ? peerKey : []))
  for (const [peerKey, milli] of await readPointsAt(client, contracts, block, late)) state.points.set(peerKey, milli)
  const peers = []
  for (const [peerKey, pointsMilli] of points) {
    const told: [who: string, milli: number][] = [['the chain', state.points.get(peerKey) ?? 0]]
    if (index !== null) told.push(['the index', index.points.get(peerKey) ?? 0])
    for (const [who, milli] of told)
      if (milli !== pointsMilli) findings.push({ peerKey, says: `has ${milli} by ${who}, and ${pointsMilli} by votes` })
    peers.push({ peerKey, name: peerName(peerIds.get(peerKey) ?? peerKey), pointsMilli })
  }
  const settlements = [...rounds.values()].reduce((sum, round) => sum + round.settlements, 0)
  peers.sort((a, b) => b.pointsMilli - a.pointsMilli)
  return { endpoint: rpcUrl, hash, timeSec, rounds: rounds.size, settlements, peers, findings }
}

/** @throws {EndpointsDisagreeError} */
function requireSame(one: EndpointAudit, other: EndpointAudit): void {
  const pointsOf = ({ peers }: EndpointAudit) =>
    new Map(peers.map(({ peerKey, pointsMilli }) => [peerKey, pointsMilli]))
  const [ours, theirs] = [pointsOf(one), pointsOf(other)]
  const differing = [...new Set([...ours.keys(), ...theirs.keys()])].filter(key => ours.get(key) !== theirs.get(key))
  const isSame = differing.length === 0 && one.rounds === other.rounds && one.settlements === other.settlements
  const isSameBlock = one.hash === other.hash && one.timeSec === other.timeSec
  if (isSame && isSameBlock && JSON.stringify(one.findings) === JSON.stringify(other.findings)) return
  const wordsOf = ({ endpoint, hash, timeSec, settlements, rounds, findings }: EndpointAudit) =>
    `${endpoint} has ${settlements} settlements of ${rounds} rounds, of which ${findings.length} differ, by block ${hash} of ${timeOf(timeSec)}`
  throw new EndpointsDisagreeError(
    `The endpoints have different votes: ${wordsOf(one)}, and ${wordsOf(other)}. ${differing.length} peers have other points.`,
    { hint: 'One of them leaves out or changes events, or is on a fork: audit with each alone, and with a third one.' },
  )
}

class EndpointsDisagreeError extends NodeError {
  override readonly code = 'ENDPOINTS_DISAGREE'
}

function wasReplaced(rpcUrl: string, block: number): EndpointsDisagreeError {
  return new EndpointsDisagreeError(`The chain at ${rpcUrl} replaced its block ${block} while it was read.`, {
    hint: 'The chain was reorganised, or several servers behind the address have different chains: try again.',
    retryable: true,
  })
}

function isAhead(block: number, head: number): IndexUnusableError {
  return new IndexUnusableError(`The index has reached block ${block}, and this RPC endpoint only block ${head}.`, {
    hint: 'Try again in a moment. If it happens again, name the RPC endpoint that the indexer reads with --rpc.',
    retryable: true,
  })
}
