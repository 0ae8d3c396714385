import { readEnvironment } from '#sources/environment.ts'
import { forward } from '#sources/forward.ts'

/** `GET /v1/…`: the gateway. */
export async function GET(request: Request, { params }: { params: Promise<{ path: string[] }> }): Promise<Response> {
  const { gatewayUrl } = readEnvironment()
  const { path: parts } = await params
  if (parts.some(part => part === '.' || part === '..')) return new Response(null, { status: 404 })
  const path = parts.map(encodeURIComponent).join('/')
  return forward(request, gatewayUrl && `${gatewayUrl}/v1/${path}${new URL(request.url).search}`)
}
