import { expect, test } from 'vitest'
import { withoutCredentials } from './withoutCredentials.ts'

test('user name and password move into a header', () => {
  const { url, headers } = withoutCredentials('https://me:p%40ss@node.example/path?a=1')
  expect(url.href).toBe('https://node.example/path?a=1')
  expect(Buffer.from(headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString()).toBe('me:p@ss')
  // Nobody encodes a password by hand.
  const typed = withoutCredentials('https://me:100%@node.example/').headers
  expect(Buffer.from(typed.authorization?.slice('Basic '.length) ?? '', 'base64').toString()).toBe('me:100%')
  expect(withoutCredentials('https://node.example/').headers).toEqual({})
})
