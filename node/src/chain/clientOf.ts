import { createPublicClient, custom, type PublicClient } from 'viem'
import type { RequestFn } from './guard/requestOnce.ts'

/** viem's client over checked answers: retries are decided below it. */
export function clientOf(request: RequestFn): PublicClient {
  // viem keeps block numbers for 4 s by default; our rounds may be shorter than six times that.
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 })
}
