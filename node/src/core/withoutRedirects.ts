/** An endpoint answered with a redirect. */
export class RedirectError extends Error {
  /** @param toOrigin - scheme, host and port of the target: its path may hold a key. */
  constructor(toOrigin: string) {
    super(`it redirects to ${toOrigin}, and redirects are not followed: give its final URL`)
    this.name = new.target.name
  }
}

/** A fetch that follows no redirect: one could lead requests into the network of this machine. Its requests throw {@link RedirectError}. */
export function withoutRedirects(fetchFn: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const response = await fetchFn(input, { ...init, redirect: 'manual' })
    if (response.status < 300 || response.status >= 400) return response
    await response.body?.cancel()
    const asked = input instanceof Request ? input.url : String(input)
    throw new RedirectError(URL.parse(response.headers.get('location') ?? '', asked)?.origin ?? 'an invalid URL')
  }
}
