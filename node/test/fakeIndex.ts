import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hex } from '#core/hex.ts'

type IndexedPeer = readonly [peerKey: Hex, pointsMilli: number]
/** The points of a lying index are a function of where a page begins: it has no end. */
export type IndexState = {
  block: number
  points: readonly IndexedPeer[] | ((offset: number, limit: number) => readonly IndexedPeer[])
}

/**
 * The two queries of an indexer that an audit makes, over HTTP.
 *
 * @param states - what it knows by and by: each time that its block is asked for, the next one; the last one from then on.
 */
export async function startFakeIndex(chainId: number, states: readonly IndexState[]) {
  let asked = -1
  const now = () => states[Math.min(Math.max(asked, 0), states.length - 1)] as IndexState
  const answer = (query: string) => {
    if (query.includes('_meta')) {
      asked += 1
      return { _meta: { status: { swarm: { id: chainId, block: { number: now().block, timestamp: 0 } } } } }
    }
    const [, from = 0, to = 0] = /rank_gt: (\d+), rank_lte: (\d+)/.exec(query)?.map(Number) ?? []
    const { points } = now()
    const rows = typeof points === 'function' ? points(from, to - from) : points.slice(from, to)
    // As Ponder gives what is too large for a number of JSON.
    return { standings: { items: rows.map(([peerKey, milli]) => ({ peerKey, pointsMilli: String(milli) })) } }
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { query } = JSON.parse(Buffer.concat(chunks).toString())
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: answer(query) }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
