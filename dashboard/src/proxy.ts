import { type NextRequest, NextResponse } from 'next/server'
import { contentPolicy } from '#sources/contentPolicy.ts'
import { decodePath } from '#sources/decodePath.ts'
import { readEnvironment } from '#sources/environment.ts'

/** A path of no page. */
const NOWHERE = '/malformed'

/** Gives each page a policy with its own nonce; Next puts the nonce on its scripts, which it reads from the request's header. */
export function proxy(request: NextRequest): NextResponse {
  const policy = contentPolicy(crypto.randomUUID(), readEnvironment(), process.env.NODE_ENV === 'development')
  const headers = new Headers(request.headers)
  headers.set('content-security-policy', policy)
  const told = { request: { headers } }
  // Next answers a path that it cannot decode with 500, and without a page.
  const isMalformed = decodePath(new URL(request.url).pathname) === null
  const response = isMalformed ? NextResponse.rewrite(new URL(NOWHERE, request.url), told) : NextResponse.next(told)
  response.headers.set('content-security-policy', policy)
  return response
}

/**
 * Applies to pages, including the not-found page; data has no scripts, and files of the build are static. A page without a policy could be
 * framed, and so could what its reader opens from there.
 */
export const config = { matcher: '/((?!_next/static/|(?:graphql|live|names|rpc)$|v1/).*)' }
