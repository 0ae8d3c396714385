import { peerName } from '@waggle/node/core/peerName'

/** `GET /names?id=…&id=…`: the three-word names of some peer ids, by id. For browsers, which read ids from the chain. */
export function GET(request: Request): Response {
  const peerIds = new URL(request.url).searchParams.getAll('id').slice(0, 50)
  return Response.json(Object.fromEntries(peerIds.map(peerId => [peerId, peerName(peerId)])))
}
