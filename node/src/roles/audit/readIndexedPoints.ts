import { z } from 'zod'
import { NodeError } from '#base/errors.ts'
import { gatherBytes } from '#core/gatherBytes.ts'
import { hash32, type PeerKey } from '#core/hashes.ts'
import type { Patience } from '#core/patience.ts'
import { originsOf } from '#core/redactUrls.ts'

export class IndexUnusableError extends NodeError {
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

export type IndexedPoints = {
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
  for (let from = 0; ; from += PAGE) {
    // By rank, not by offset: that is a large question, which the index may put off.
    const where = `{ rank_gt: ${from}, rank_lte: ${from + PAGE} }`
    const query = `{ standings(where: ${where}, orderBy: "rank", limit: ${PAGE}) { items { peerKey pointsMilli } } }`
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
