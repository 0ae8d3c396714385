import { HubError } from './hubError.ts'

/** An answer of the API that is larger than this is none. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * A response's JSON, read only as far as a sane one goes.
 *
 * @throws {HubError} HUB_RESPONSE if it is too large or no JSON, HUB_OFFLINE if it ends early.
 */
export async function readLimitedJson(response: Response): Promise<unknown> {
  const parts: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const part of response.body ?? []) {
      bytes += part.length
      if (bytes > MAX_BYTES) break
      parts.push(part)
    }
  } catch (cause) {
    throw new HubError('HUB_OFFLINE', 'The hub’s answer broke off.', cause)
  }
  if (bytes > MAX_BYTES) throw new HubError('HUB_RESPONSE', `The hub’s answer is larger than ${MAX_BYTES} bytes.`)
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'))
  } catch (cause) {
    throw new HubError('HUB_RESPONSE', 'The hub’s answer is not JSON.', cause)
  }
}
