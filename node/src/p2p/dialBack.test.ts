import type { AutoNATComponents } from '@libp2p/autonat'
import { multiaddr } from '@multiformats/multiaddr'
import { expect, test } from 'vitest'
import { connect, startTestHost } from './testHosts.ts'

test('AutoNAT dials a new connection, and does not reuse the one with the request', async () => {
  const [asked, asking] = await Promise.all([startTestHost(), startTestHost()])
  try {
    await connect(asking, asked)
    const { components } = asked.node.services.autoNat as { components: AutoNATComponents }
    const [address = ''] = asking.addresses()
    const dialled = await components.connectionManager.openConnection(multiaddr(address))
    // The first is from the port that the other end dialled from.
    expect(dialled.remoteAddr.toString()).toBe(address)
    await dialled.close()
    expect(asked.connectedPeers()).toEqual([asking.peerId])
  } finally {
    for (const host of [asked, asking]) await host.stop()
  }
})
