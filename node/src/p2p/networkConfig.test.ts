import { expect, test } from 'vitest'
import { networkConfigSchema } from './networkConfig.ts'

test('nothing said is a peer that listens on some port, and is quiet on the local network', () => {
  expect(networkConfigSchema.parse({})).toMatchObject({ listen: ['/ip4/0.0.0.0/tcp/0'], mdns: false, targetPeers: 16 })
})

test('an address that is no multiaddr is refused, with an example', () => {
  const parsed = networkConfigSchema.safeParse({ listen: ['0.0.0.0:38331'] })
  expect(parsed.error?.issues[0]?.message).toContain('/ip4/0.0.0.0/tcp/38331')
})
