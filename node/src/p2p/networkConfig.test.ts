import { expect, test } from 'vitest'
import { z } from 'zod'
import { networkSettings } from './networkConfig.ts'

const schema = z.strictObject(networkSettings)

test('by default a peer listens on some port of both families and at relays, and is quiet on the local network', () => {
  const listen = ['/ip4/0.0.0.0/tcp/0', '/ip6/::/tcp/0', '/p2p-circuit']
  expect(schema.parse({})).toMatchObject({
    listen,
    mdns: false,
    upnp: false,
    'target-peers': 16,
    'max-connections': 128,
  })
})

test('an address that is not a multiaddr is refused, with an example', () => {
  const parsed = schema.safeParse({ announce: ['0.0.0.0:38331'] })
  expect(parsed.error?.issues[0]?.message).toContain('/ip4/0.0.0.0/tcp/4001')
})
