import { decoded } from './redactUrls.ts'

/**
 * A URL without its user name and password, which `fetch` refuses, and the header that carries them.
 *
 * @param url - valid.
 */
export function withoutCredentials(url: string | URL): { url: URL; headers: Record<string, string> } {
  const bare = new URL(url)
  const { username, password } = bare
  if (username === '' && password === '') return { url: bare, headers: {} }
  bare.username = ''
  bare.password = ''
  const pair = `${decoded(username)}:${decoded(password)}`
  return { url: bare, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } }
}
