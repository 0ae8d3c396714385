import type { Deployment } from '@waggle/deployments/record'
import { z } from 'zod'
import { NodeError } from '#base/errors.ts'
import { callChain } from '#chain/callChain.ts'
import { connectChain, type FollowedChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { createChainReads } from '#chain/reads.ts'
import { readVotedRounds } from '#chain/votes/readVotedRounds.ts'
import { gatherBytes } from '#core/gatherBytes.ts'
import { hash32, type PeerKey } from '#core/hashes.ts'
import type { Patience } from '#core/patience.ts'
import { peerName } from '#core/peers/peerName.ts'
import { originsOf, splitUrls } from '#core/redactUrls.ts'
import { askEndpoints } from './askEndpoints.ts'
import { derivePoints, type Finding } from './deriveScores.ts'

export type AuditQuestion = {
  deployment: Deployment
  rpcUrl: string
  /** Limits the time that slow answers may take. */
  patience?: Patience
  /** An indexer whose leaderboard is compared too. */
  indexUrl: string | undefined
}

export type Audit = {
  /** The block of the comparison: the one that the index has reached, else the newest. */
  block: number
  /** The newest when it began, which all endpoints have. */
  headBlock: number
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
 * @throws {IndexUnusableError} if the index does not answer, or is ahead of the chain.
 * @throws {EndpointsDisagreeError} if two endpoints have different votes.
 */
export async function auditPoints({ deployment, rpcUrl, indexUrl, patience }: AuditQuestion): Promise<Audit> {
  // Read before the chain, so that the chain has everything that the index has.
  const index = indexUrl === undefined ? null : await readIndexedPoints(indexUrl, deployment.chainId, patience)
  const clients = await askEndpoints(splitUrls(rpcUrl), async url => {
    const client = await connectChain({ rpcUrl: url, deployment, patience })
    return { ...client, head: await callChain(client.rpcUrl, () => client.rpc.getBlockNumber()) }
  })
  const [head] = clients.map(client => client.head).sort((a, b) => Number(a - b)) as [bigint]
  const block = index === null ? head : BigInt(index.block)
  if (block > head) throw isAhead(block, head)
  const audits = await askEndpoints(clients, client => auditAt(client, { deployment, block, index }))
  const [first, ...others] = audits as [EndpointAudit, ...EndpointAudit[]]
  for (const other of others) requireSame(first, other)
  const { endpoint, ...found } = first
  return { block: Number(block), headBlock: Number(head), endpoints: audits.map(audit => audit.endpoint), ...found }
}

type EndpointAudit = Omit<Audit, 'block' | 'headBlock' | 'endpoints'> & { endpoint: string }
type AuditedBlock = { deployment: Deployment; block: bigint; index: IndexedPoints | null }

/** The audit by the word of one endpoint. */
async function auditAt(client: FollowedChain, { deployment, block, index }: AuditedBlock): Promise<EndpointAudit> {
  const contracts = contractsOf(deployment)
  const reads = createChainReads(client, contracts)
  const derived = await derivePoints(readVotedRounds(client, contracts, block), deployment.chainId)
  const { points, rounds } = derived
  const findings: Audit['findings'] = [...derived.findings]
  // An index must not give points to peers without votes.
  for (const [peerKey, milli] of index?.points ?? []) if (milli !== 0) points.set(peerKey, points.get(peerKey) ?? 0)
  const peers = []
  for (const [peerKey, pointsMilli] of points) {
    const told: [who: string, milli: number][] = [['the chain', await reads.readPoints(peerKey, block)]]
    if (index !== null) told.push(['the index', index.points.get(peerKey) ?? 0])
    for (const [who, milli] of told)
      if (milli !== pointsMilli) findings.push({ peerKey, says: `has ${milli} by ${who}, and ${pointsMilli} by votes` })
    peers.push({ peerKey, name: peerName((await reads.readPeerId(peerKey)) ?? peerKey), pointsMilli })
  }
  const settlements = [...rounds.values()].reduce((sum, round) => sum + round.settlements, 0)
  peers.sort((a, b) => b.pointsMilli - a.pointsMilli)
  return { endpoint: client.rpcUrl, rounds: rounds.size, settlements, peers, findings }
}

/** @throws {EndpointsDisagreeError} */
function requireSame(one: EndpointAudit, other: EndpointAudit): void {
  const pointsOf = ({ peers }: EndpointAudit) =>
    new Map(peers.map(({ peerKey, pointsMilli }) => [peerKey, pointsMilli]))
  const [ours, theirs] = [pointsOf(one), pointsOf(other)]
  const differing = [...new Set([...ours.keys(), ...theirs.keys()])].filter(key => ours.get(key) !== theirs.get(key))
  const isSame = differing.length === 0 && one.rounds === other.rounds && one.settlements === other.settlements
  if (isSame && JSON.stringify(one.findings) === JSON.stringify(other.findings)) return
  const wordsOf = ({ endpoint, settlements, rounds, findings }: EndpointAudit) =>
    `${endpoint} has ${settlements} settlements of ${rounds} rounds, of which ${findings.length} differ`
  throw new EndpointsDisagreeError(
    `The endpoints have different votes: ${wordsOf(one)}, and ${wordsOf(other)}. ${differing.length} peers have other points.`,
    { hint: 'One of them leaves out or changes events, or is on a fork: audit with each alone, and with a third one.' },
  )
}

class EndpointsDisagreeError extends NodeError {
  override readonly code = 'ENDPOINTS_DISAGREE'
}

function isAhead(block: bigint, head: bigint): IndexUnusableError {
  return new IndexUnusableError(`The index has reached block ${block}, and this RPC endpoint only block ${head}.`, {
    hint: 'Try again in a moment. If it happens again, name the RPC endpoint that the indexer reads with --rpc.',
    retryable: true,
  })
}

class IndexUnusableError extends NodeError {
  override readonly code = 'INDEX_UNUSABLE'
}

const PAGE = 1_000
/** A page has 150 KB. */
const MAX_BYTES = 4 * 1024 * 1024
/** Five times the largest planned swarm. */
const MAX_PEERS = 50_000

/** A page takes milliseconds, a block a second or more: one of a few readings falls between two blocks. */
const READINGS = 20

const count = z.coerce.number().int().nonnegative()
const page = z.object({
  standings: z.object({ items: z.array(z.object({ peerKey: hash32<PeerKey>(), pointsMilli: count })) }),
})
const reached = z.object({
  _meta: z.object({ status: z.record(z.string(), z.object({ id: count, block: z.object({ number: count }) })) }),
})

type Ask = <T>(query: string, shape: z.ZodType<T>) => Promise<T>

type IndexedPoints = {
  /** The block as of which they hold. */
  block: number
  /** Points of every peer, thousandths. */
  points: Map<PeerKey, number>
}

/**
 * The leaderboard of an indexer, as of one block.
 *
 * @param url - of the indexer, without `/graphql`.
 * @throws {IndexUnusableError} if it is not an indexer, indexes another chain, advances during every read, or gives a peer two values at one
 *   block.
 */
export async function readIndexedPoints(url: string, chainId: number, patience?: Patience): Promise<IndexedPoints> {
  const ask: Ask = (query, shape) => {
    const work = () => askIndex(url, query, shape)
    return patience === undefined ? work() : patience.waitFor(originsOf(url), 'the index', work)
  }
  for (let reading = 0; reading < READINGS; reading++) {
    const block = await readBlock(ask, url, chainId)
    const { points, contradicted } = await readPages(ask, url)
    if ((await readBlock(ask, url, chainId)) !== block) continue
    if (contradicted === null) return { block, points }
    throw new IndexUnusableError(
      `The indexer at ${url} gives ${contradicted} two different values at block ${block}.`,
      {
        hint: 'It contradicts itself: read the points from another.',
      },
    )
  }
  throw new IndexUnusableError(`The indexer at ${url} moved on to another block during every read.`, {
    hint: 'It is probably catching up: try again later.',
    retryable: true,
  })
}

async function readBlock(ask: Ask, url: string, chainId: number): Promise<number> {
  const { status } = (await ask('{ _meta { status } }', reached))._meta
  const own = Object.values(status).find(({ id }) => id === chainId)
  if (own !== undefined) return own.block.number
  const ids = Object.values(status).map(({ id }) => id)
  throw new IndexUnusableError(`The indexer at ${url} is of chain ${ids.join()}, not of ${chainId}.`, {
    hint: 'Name the indexer of this network, or the network of this indexer with --network.',
  })
}

/** @returns also a peer that has two different values, which it can have only if the index moved on in between. */
async function readPages(
  ask: Ask,
  url: string,
): Promise<Pick<IndexedPoints, 'points'> & { contradicted: PeerKey | null }> {
  const points = new Map<PeerKey, number>()
  let contradicted: PeerKey | null = null
  for (let offset = 0; ; offset += PAGE) {
    const query = `{ standings(orderBy: "rank", limit: ${PAGE}, offset: ${offset}) { items { peerKey pointsMilli } } }`
    const { items } = (await ask(query, page)).standings
    const before = points.size
    for (const { peerKey, pointsMilli } of items) {
      if (points.has(peerKey) && points.get(peerKey) !== pointsMilli) contradicted ??= peerKey
      points.set(peerKey, pointsMilli)
    }
    if (items.length < PAGE || points.size === before) return { points, contradicted }
    if (points.size > MAX_PEERS)
      throw new IndexUnusableError(`The indexer at ${url} names more than ${MAX_PEERS} peers.`, {
        hint: 'Its data contradicts the chain: read the points from another.',
      })
  }
}

async function askIndex<T>(url: string, query: string, shape: z.ZodType<T>): Promise<T> {
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
      redirect: 'error',
      signal: AbortSignal.timeout(10_000),
    })
    const bytes = response.body && (await gatherBytes(response.body, MAX_BYTES))
    return z.object({ data: shape }).parse(JSON.parse(bytes?.toString('utf8') ?? '')).data
  } catch (cause) {
    throw new IndexUnusableError(`${url} does not answer as an indexer.`, {
      hint: 'Name the address that npm run swarm prints for it, without /graphql, or leave out --index. Redirects are not followed.',
      retryable: true,
      cause,
    })
  }
}
