import { expect, test } from 'vitest'
import { contentPolicy } from './contentPolicy.ts'

const asked = (walletConnectProject: string | null, walletConnectRelay: string | null) =>
  /connect-src ([^;]*)/.exec(contentPolicy('n', { walletConnectProject, walletConnectRelay }, false))?.[1]

test('a page asks its own origin alone, and the relay of wallets where one is offered', () => {
  expect(asked(null, null)).toBe("'self'")
  expect(asked(null, 'wss://relay.example')).toBe("'self'")
  expect(asked('project', null)).toBe("'self' wss://relay.walletconnect.org")
  expect(asked('project', 'ws://127.0.0.1:7000/a?b; script-src *')).toBe("'self' ws://127.0.0.1:7000")
})

test('scripts run by their nonce, and text is evaluated in development alone', () => {
  const none = { walletConnectProject: null, walletConnectRelay: null }
  expect(contentPolicy('abc', none, false)).toContain("script-src 'nonce-abc' 'strict-dynamic';")
  expect(contentPolicy('abc', none, true)).toContain("'unsafe-eval'")
})
