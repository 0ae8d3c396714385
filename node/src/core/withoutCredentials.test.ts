import { expect, test } from 'vitest'
import { withoutCredentials } from './withoutCredentials.ts'

test('user name and password move into a header', () => {
  const { url, headers } = withoutCredentials('https://me:p%40ss@node.example/path?a=1')
  expect(url.href).toBe('https://node.example/path?a=1')
  expect(Buffer.from(headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString()).toBe('me:p@ss')
  expect(withoutCredentials('https://node.example/').headers).toEqual({})
})

// Nobody encodes a password by hand, and the parser of URLs encodes some characters of it.
test.each(['100%', 'a=b100%', 'pä%', '50%;x', '%%', '%ff'])('a password counts as it is typed: %j', typed => {
  const { headers } = withoutCredentials(`https://me:${typed}@node.example/`)
  expect(Buffer.from(headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString()).toBe(`me:${typed}`)
})
