import { isLoopback } from '../loopback.ts'
import { ChatServerError } from './chatServerError.ts'

/** Address of an OpenAI-compatible API, and the model to use. */
export type ServerAddress = {
  /** Ends with a slash. */
  readonly base: string
  /** Null for the server's first. */
  readonly model: string | null
}

export const isServerUrl = (text: string): boolean => /^https?:\/\//i.test(text)

/**
 * Reads `http://HOST:PORT/v1#MODEL`.
 *
 * @param hasKey - whether requests carry a key, which goes over TLS or stays on this machine.
 * @throws {ChatServerError} SERVER_URL; the address is not quoted where it may hold a secret.
 */
export function parseServerUrl(text: string, hasKey: boolean): ServerAddress {
  const url = URL.parse(text)
  if (!url || !isServerUrl(text)) throw new ChatServerError('SERVER_URL', 'This is not an http or https URL.')
  if (url.username !== '' || url.password !== '' || url.search !== '')
    throw new ChatServerError(
      'SERVER_URL',
      "A server's URL holds no user, password or query: a key is taken from OPENAI_API_KEY.",
    )
  if (hasKey && url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new ChatServerError('SERVER_URL', `The key would go to ${url.host} without encryption.`)
  const model = decoded(url.hash.slice(1))
  if (model === null || model.length > 200 || /[^\x20-\x7e]/.test(model))
    throw new ChatServerError('SERVER_URL', "The model's name is malformed.")
  return { base: `${url.origin}${url.pathname.replace(/\/*$/, '')}/`, model: model === '' ? null : model }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
