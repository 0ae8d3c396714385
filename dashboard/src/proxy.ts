import { type NextRequest, NextResponse } from 'next/server'
import { contentPolicy } from '#sources/contentPolicy.ts'
import { readEnvironment } from '#sources/environment.ts'

/** Gives each page a policy with its own nonce; Next puts the nonce on its scripts, which it reads from the request's header. */
export function proxy(request: NextRequest): NextResponse {
  const policy = contentPolicy(crypto.randomUUID(), readEnvironment(), process.env.NODE_ENV === 'development')
  const headers = new Headers(request.headers)
  headers.set('content-security-policy', policy)
  const response = NextResponse.next({ request: { headers } })
  response.headers.set('content-security-policy', policy)
  return response
}

/**
 * Pages alone, those that say that there is none among them: what is data has no scripts, and files of the build are the same for everybody. A
 * page without a policy could be framed, and whatever its reader opens from there.
 */
export const config = { matcher: '/((?!_next/static/|(?:graphql|live|names|rpc)$|v1/).*)' }
