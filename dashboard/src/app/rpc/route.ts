import { askableBody } from '#sources/askableMethods.ts'
import { readEnvironment } from '#sources/environment.ts'
import { forwardToFirst, readQuestion, tooLarge } from '#sources/forward.ts'

/** `POST /rpc`: the chain, for the methods that pages and wallets need. */
export async function POST(request: Request): Promise<Response> {
  const question = await readQuestion(request)
  if (question === null) return tooLarge()
  const body = askableBody(question)
  if (body === null) return Response.json({ error: 'this method is not for browsers' }, { status: 403 })
  return forwardToFirst(request, readEnvironment().rpcUrls, body)
}
