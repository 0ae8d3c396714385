import type { Environment } from './environment.ts'

/** Default relay of wallets on phones. */
const PUBLIC_RELAY = 'wss://relay.walletconnect.org'

/**
 * The content security policy of a page: its own origin, and the wallets' relay if one is configured.
 *
 * @param nonce - of this one answer; scripts that carry it run, and what they load.
 * @param isDevelopment - React then evaluates text, for its traces.
 * @returns the value of the header `Content-Security-Policy`.
 */
export function contentPolicy(
  nonce: string,
  { walletConnectProject, walletConnectRelay }: Pick<Environment, 'walletConnectProject' | 'walletConnectRelay'>,
  isDevelopment: boolean,
): string {
  const relay = walletConnectProject === null ? [] : [new URL(walletConnectRelay ?? PUBLIC_RELAY).origin]
  const policy: Record<string, string[]> = {
    'default-src': ["'self'"],
    'script-src': [`'nonce-${nonce}'`, "'strict-dynamic'", ...(isDevelopment ? ["'unsafe-eval'"] : [])],
    // Widths and places in charts are attributes of elements, which no nonce covers.
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:'],
    'connect-src': ["'self'", ...relay],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
    'object-src': ["'none'"],
  }
  return Object.entries(policy)
    .map(([directive, sources]) => [directive, ...sources].join(' '))
    .join('; ')
}
