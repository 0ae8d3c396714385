/** Parts of a URL shorter than this are not keys: `v2`, `rpc`. */
const MIN_SECRET_LENGTH = 6

/** A name in a path, which is not a key: a word or two, and a short number. */
const NAME = /^[A-Z]?[a-z]{1,15}([-_.][A-Z]?[a-z]{1,15})?([-_.]?\d{1,3})?$/

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

/**
 * Possible keys in the URLs of a list, raw and decoded, longest first: credentials, query values, and path segments other than names. A
 * name would be redacted wherever it occurs in a log.
 */
export function urlSecrets(urls: string): string[] {
  const parts = splitUrls(urls).flatMap(text => {
    const url = URL.parse(text)
    if (url === null) return []
    const path = url.pathname.split('/').filter(part => !NAME.test(part))
    return [url.username, url.password, basicOf(url), ...path, ...queryValues(url.search), url.hash.slice(1)]
  })
  const written = parts.flatMap(part => [part, decoded(part)]).filter(part => part.length >= MIN_SECRET_LENGTH)
  return [...new Set(written)].sort((a, b) => b.length - a.length)
}

/** User name and password as a request's header has them: a server may quote it. */
function basicOf({ username, password }: URL): string {
  return username === '' && password === ''
    ? ''
    : Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
}

/** A text without the secrets, and with only scheme, host and port of every URL. */
export function redactUrls(text: string, secrets: readonly string[]): string {
  let hidden = text.replace(URL_IN_TEXT, url => URL.parse(url)?.origin ?? '[redacted]')
  for (const secret of secrets) hidden = hidden.replaceAll(secret, '[redacted]')
  return hidden
}

/** Query values as written. A value without a name may itself be a key. */
function queryValues(search: string): string[] {
  return search
    .slice(1)
    .split('&')
    .map(part => part.slice(part.indexOf('=') + 1))
}

/** Decodes the codes in a part of a URL. A `%` that begins none, as in a password that is typed, stays as it is. */
export const decoded = (part: string): string => part.replace(/(%[\da-f]{2})+/gi, decodedCodes)

function decodedCodes(codes: string): string {
  try {
    return decodeURIComponent(codes)
  } catch {
    return codes
  }
}
