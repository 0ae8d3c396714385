import { expect, test, vi } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { replaceDatagrams } from '#p2p/testDatagrams.ts'
import { until } from '#p2p/testHosts.ts'
import { startTestPeer } from './p2pNetworks.ts'

test('peers of one local network find and dial each other by mDNS, and no others', async () => {
  replaceDatagrams()
  const [first, other] = [await startTestPeer({ mdns: true }), await startTestPeer()]
  const second = await startTestPeer({ mdns: true })
  try {
    await until(second.host.node, ['peer:connect'], () => second.connectedPeers().includes(first.peerId))
    expect(second.connectedPeers()).toEqual([first.peerId])
    expect(other.connectedPeers()).toEqual([])
  } finally {
    await Promise.all([first, other, second].map(peer => peer.stop()))
  }
})

test('a peer sends no datagram unless it is told to: mDNS asks the local network, and UPnP asks for a router', async () => {
  const datagrams = replaceDatagrams()
  await (await startTestPeer()).stop()
  expect(datagrams.opened()).toBe(0)
  const asks = async (settings: { mdns?: boolean; upnp?: boolean }) => {
    const [asked, peer] = await Promise.all([datagrams.sent(), startTestPeer(settings)])
    await peer.stop()
    return asked
  }
  expect(await asks({ mdns: true })).toMatchObject({ to: '224.0.0.251:5353' })
  expect(await asks({ upnp: true })).toMatchObject({
    to: '239.255.255.250:1900',
    text: expect.stringMatching(/^M-SEARCH \* HTTP\/1\.1\r\n[\s\S]*InternetGatewayDevice/),
  })
})

test('a peer whose clock is an hour behind is told, and the others are not', async () => {
  const warnings = { late: [] as string[], right: [] as string[] }
  const loggerOf = (peer: 'late' | 'right') => ({
    ...silentLogger,
    warn: (message: string) => void warnings[peer].push(message),
  })
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() - 3_600_000 }
  const late = await startTestPeer({ clock, logger: loggerOf('late') })
  const start = () => startTestPeer({ bootnodes: late.addresses(), logger: loggerOf('right') })
  const peers = [late, ...(await Promise.all([start(), start(), start()]))]
  try {
    await vi.waitFor(() => expect(warnings.late.length).toBe(1), 30_000)
    expect(warnings.late[0]).toContain('the clock of this machine is 60 minutes behind those of most peers')
    expect(warnings.right).toEqual([])
  } finally {
    await Promise.all(peers.map(peer => peer.stop()))
  }
})
