/** Parts of a URL shorter than this are not keys: `v2`, `rpc`. */
const MIN_SECRET_LENGTH = 6

/** URLs in a text, up to what may end one in prose, JSON or HTML. */
const URL_IN_TEXT = /\b(?:https?|wss?):\/\/[^\s"'`<>()[\]{}\\,]+/gi

/** Scheme, host and port of each URL of a comma-separated list: paths, queries and user names carry API keys. */
export function originsOf(urls: string): string {
  return splitUrls(urls)
    .map(url => URL.parse(url)?.origin ?? 'an invalid URL')
    .join(', ')
}

/** The URLs of a comma-separated list. */
export function splitUrls(urls: string): string[] {
  return urls
    .split(',')
    .map(url => url.trim())
    .filter(url => url !== '')
}

/** What may be a key in the URLs of a list, as it is written and decoded, the longest first. */
export function urlSecrets(urls: string): string[] {
  const parts = splitUrls(urls).flatMap(text => {
    const url = URL.parse(text)
    if (url === null) return []
    return [url.username, url.password, ...url.pathname.split('/'), ...url.search.split(/[?&=]/), url.hash.slice(1)]
  })
  const written = parts.flatMap(part => [part, decoded(part)]).filter(part => part.length >= MIN_SECRET_LENGTH)
  return [...new Set(written)].sort((a, b) => b.length - a.length)
}

/** A text without the secrets, and with no more of any URL than its scheme, host and port. */
export function redactUrls(text: string, secrets: readonly string[]): string {
  let hidden = text.replace(URL_IN_TEXT, url => URL.parse(url)?.origin ?? '[redacted]')
  for (const secret of secrets) hidden = hidden.replaceAll(secret, '[redacted]')
  return hidden
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
