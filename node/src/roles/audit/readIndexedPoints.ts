import { z } from 'zod'
import { NodeError } from '#core/errors.ts'
import type { Hex } from '#core/hex.ts'
import { hash32Schema } from '#core/hex.ts'

export class IndexUnusableError extends NodeError {
  override readonly code = 'INDEX_UNUSABLE'
}

const PAGE = 1_000
const answer = z.object({
  data: z.object({
    standings: z.object({ items: z.array(z.object({ peerKey: hash32Schema, pointsMilli: z.coerce.number().int() })) }),
  }),
})

/**
 * Points of every peer by an indexer's leaderboard, thousandths.
 *
 * @param url - of the indexer, without `/graphql`.
 * @throws {IndexUnusableError} if it does not answer as one.
 */
export async function readIndexedPoints(url: string): Promise<Map<Hex, number>> {
  const points = new Map<Hex, number>()
  for (let offset = 0; ; offset += PAGE) {
    const query = `{ standings(orderBy: "rank", limit: ${PAGE}, offset: ${offset}) { items { peerKey pointsMilli } } }`
    const { items } = await ask(url, query)
    for (const { peerKey, pointsMilli } of items) points.set(peerKey, pointsMilli)
    if (items.length < PAGE) return points
  }
}

async function ask(url: string, query: string) {
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
      signal: AbortSignal.timeout(10_000),
    })
    return answer.parse(await response.json()).data.standings
  } catch (cause) {
    throw new IndexUnusableError(`The indexer at ${url} does not answer as one.`, {
      hint: 'Name the address that npm run swarm prints for it, without /graphql, or leave out --index.',
      retryable: true,
      cause,
    })
  }
}
