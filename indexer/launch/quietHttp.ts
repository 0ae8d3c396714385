import { fallback, http, type Transport } from 'viem'
import { redactUrls, splitUrls, urlSecrets } from '../../node/src/core/redactUrls.ts'
import { withoutCredentials } from '../../node/src/core/withoutCredentials.ts'
import { withoutRedirects } from '../../node/src/core/withoutRedirects.ts'

/** At first Ponder sends each endpoint only 20 requests a second. A local chain is listed as this many endpoints. */
const LOCAL_ENDPOINTS = 25

/**
 * How Ponder reads a chain. It takes only URLs several times: it asks them itself, and writes them and their words to its log. So a local URL with a
 * key, such as that of a tunnel to a provider, is read as any other endpoint.
 */
export function ponderRpc(rpcUrl: string, isLocal: boolean): string[] | Transport {
  const isPlain = isLocal && urlSecrets(rpcUrl).length === 0
  return isPlain ? Array<string>(LOCAL_ENDPOINTS).fill(new URL(rpcUrl).href) : quietHttp(rpcUrl)
}

/**
 * The transport of one endpoint, or of several separated by commas, of which the first that answers is used. Its errors show only the
 * origin of a URL: Ponder writes them to its log, and URLs carry API keys. Redirects are not followed.
 */
export function quietHttp(urls: string): Transport {
  const secrets = urlSecrets(urls)
  const quiet = (url: string): Transport => {
    // viem leaves a password that it cannot decode in the URL, and `fetch` refuses it.
    const { url: bare, headers } = withoutCredentials(url)
    // Without the limit lifted, viem refuses the logs of a busy range. Ponder retries automatically.
    const open = http(bare.href, {
      ...{ maxResponseBodySize: false, timeout: 60_000, retryCount: 0, fetchOptions: { headers } },
      fetchFn: (input, init) => withoutRedirects()(input, init),
    })
    return options => {
      const transport = open(options)
      const request = (...call: Parameters<typeof transport.request>) =>
        transport.request(...call).catch(error => {
          throw redactError(error, secrets)
        })
      return { ...transport, request: request as typeof transport.request }
    }
  }
  const [first, ...others] = splitUrls(urls).map(quiet)
  if (first === undefined) throw new Error('WAGGLE_RPC_URL holds no URL')
  return others.length === 0 ? first : fallback([first, ...others], { retryCount: 0 })
}

/** An endpoint's words could control the terminal. viem's own have lines. */
const CONTROL = /(?!\n)[\p{Cc}\p{Bidi_Control}]+/gu

/** Takes URLs, keys and control characters out of all texts of an error and of its causes, in place: its class is what viem and Ponder go by. */
function redactError(error: unknown, secrets: readonly string[], seen = new Set<unknown>()): unknown {
  if (typeof error === 'string') return redactUrls(error, secrets).replace(CONTROL, ' ')
  if (typeof error !== 'object' || error === null || seen.has(error)) return error
  seen.add(error)
  for (const name of Object.getOwnPropertyNames(error)) {
    const property = Object.getOwnPropertyDescriptor(error, name)
    if (property?.writable) Reflect.set(error, name, redactError(property.value, secrets, seen))
  }
  return error
}
