import { withoutRedirects } from '../../node/src/core/withoutRedirects.ts'

/**
 * Lets no request of this process follow a redirect, of Ponder's own client neither: an endpoint could lead it into the network of this machine.
 *
 * @returns a function that undoes it.
 */
export function refuseRedirects(): () => void {
  const before = globalThis.fetch
  globalThis.fetch = withoutRedirects(before)
  return () => {
    globalThis.fetch = before
  }
}
