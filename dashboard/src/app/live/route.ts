import { readEnvironment } from '#sources/environment.ts'
import { forward } from '#sources/forward.ts'

/** `GET /live`: the indexer's server-sent events. Its `no-transform` keeps Next.js from compressing, and so holding back, the stream. */
export function GET(request: Request): Promise<Response> {
  const { indexerUrl } = readEnvironment()
  return forward(request, indexerUrl && `${indexerUrl}/live${new URL(request.url).search}`)
}
