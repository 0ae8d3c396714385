import { generateKeyPair, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { afterEach, expect, test } from 'vitest'
import { hash, ownAnnouncement } from '#p2p/gossip/testAnnouncement.ts'
import type { NetworkOptions } from '#p2p/network.ts'
import { newPrivateKey, until } from '#p2p/testHosts.ts'
import { announced, newPayload, startTestPeer, type TestPeer } from './p2pNetworks.ts'

const running: TestPeer[] = []
const unhandled: unknown[] = []
const onUnhandled = (reason: unknown): void => void unhandled.push(reason)
process.on('unhandledRejection', onUnhandled)
afterEach(async () => {
  await Promise.all(running.splice(0).map(peer => peer.stop()))
  expect(unhandled).toEqual([])
})

async function start(options: Partial<NetworkOptions> = {}): Promise<TestPeer> {
  const peer = await startTestPeer(options)
  running.push(peer)
  return peer
}

async function swarm(count: number): Promise<[TestPeer, ...TestPeer[]]> {
  const bootnode = await start()
  const others = await Promise.all(Array.from({ length: count - 1 }, () => start({ bootnodes: bootnode.addresses() })))
  return [bootnode, ...others]
}

const { signal } = new AbortController()
const from = (peer: TestPeer) => (announcement: { peerId: string }) => announcement.peerId === peer.peerId

test('five peers find each other from one bootnode, hear announcements and fetch the payloads', async () => {
  const peers = await swarm(5)
  await Promise.all(peers.map(peer => peer.waitForPeers(4)))
  const payloads = peers.map(() => newPayload())
  const heard = peers.flatMap(peer =>
    peers.filter(one => one !== peer).map(one => announced(peer, 'rollouts', from(one))),
  )
  await Promise.all(
    peers.map((peer, index) => {
      const payload = payloads[index] ?? newPayload()
      return peer.publish(ownAnnouncement({ contentId: peer.put(payload), size: payload.byteLength }))
    }),
  )
  const announcements = await Promise.all(heard)
  expect(announcements.length).toBe(20)

  const fetched = await Promise.all(
    peers.flatMap(peer =>
      peer
        .announcements(5, 'rollouts')
        .map(async ({ contentId, size, peerId }) =>
          peerId === peer.peerId ? 'own' : peer.fetchPayload({ contentId, maxBytes: size, peer: peerId, signal }),
        ),
    ),
  )
  expect(fetched.length).toBe(25)
  expect(fetched.filter(payload => payload instanceof Uint8Array).length).toBe(20)
})

test('a late joiner gets the announcements of the current round, also of peers it is not connected to', async () => {
  const [bootnode, author] = await swarm(2)
  if (author === undefined) return
  const heard = announced(bootnode, 'canary', from(author))
  await author.publish(ownAnnouncement({ kind: 'canary', contentId: hash('first') }))
  await heard
  await author.stop()

  const late = await start({ bootnodes: bootnode.addresses() })
  const announcement = await announced(late, 'canary', from(author))
  expect(announcement.contentId).toBe(hash('first'))
})

test('a restarted peer is redialled, gets its own announcement back, and can amend it', async () => {
  const privateKey = await newPrivateKey()
  const [bootnode] = await swarm(1)
  const first = await start({ privateKey, bootnodes: bootnode.addresses() })
  await first.waitForPeers(1)
  const heard = announced(bootnode, 'rollouts', from(first))
  await first.publish(ownAnnouncement({ contentId: hash('first') }))
  await heard
  await first.stop()

  const second = await start({ privateKey, bootnodes: bootnode.addresses() })
  expect(second.peerId).toBe(first.peerId)
  // Its own announcements do not come to handlers: another peer's, taken in the same catch-up, tells when it is done.
  const marked = announced(second, 'canary', from(bootnode))
  await bootnode.publish(ownAnnouncement({ kind: 'canary' }))
  await marked
  await until(second.host.gossip, ['gossipsub:heartbeat'], () => second.announcements(5, 'rollouts').length === 1)
  expect(second.announcements(5, 'rollouts')[0]?.contentId).toBe(hash('first'))

  const amended = announced(bootnode, 'rollouts', one => one.contentId === hash('amended'))
  await second.publish(ownAnnouncement({ contentId: hash('amended') }))
  await amended
  expect(bootnode.announcements(5, 'rollouts').length).toBe(1)
})

test('a bootnode that restarts is found again, and gossip continues', async () => {
  const privateKey = await newPrivateKey()
  const first = await start({ privateKey })
  const listen = first.addresses().map(address => address.split('/p2p/')[0] ?? '')
  const peer = await start({ bootnodes: first.addresses() })
  await peer.waitForPeers(1)
  await first.stop()
  const second = await start({ privateKey, listen })
  await Promise.all([peer.waitForPeers(1), second.waitForPeers(1)])
  const heard = announced(second, 'scores', from(peer))
  await peer.publish(ownAnnouncement({ kind: 'scores' }))
  await heard
})

test('a peer that does not subscribe hears nobody, and is heard by all subscribers, also if it was alone when it published', async () => {
  const [bootnode] = await swarm(1)
  const far = await start({ bootnodes: bootnode.addresses(), syncEveryMs: 1e9, targetPeers: 1 })
  const author = await start({ follows: false, targetPeers: 1 })
  const other = await start({ follows: false, bootnodes: bootnode.addresses() })
  await Promise.all([far.waitForPeers(1), other.waitForPeers(1)])
  await author.publish(ownAnnouncement())
  author.setBootnodes(bootnode.addresses())
  await Promise.all([bootnode, far].map(one => announced(one, 'rollouts', from(author))))
  await author.publish(ownAnnouncement({ kind: 'scores' }))
  await Promise.all([bootnode, far].map(one => announced(one, 'scores', from(author))))
  await other.catchUp(bootnode.peerId)
  expect(other.announcements(5)).toEqual([])
  expect(author.announcements(5).length).toBe(2)
})

test('a peer with an RSA key announces, is heard by all, and is believed by those who come late', async () => {
  const privateKey = privateKeyToProtobuf(await generateKeyPair('RSA', 2048))
  const [bootnode] = await swarm(1)
  const rsa = await start({ privateKey, bootnodes: bootnode.addresses() })
  await rsa.waitForPeers(1)
  const payload = newPayload()
  const heard = announced(bootnode, 'rollouts', from(rsa))
  await rsa.publish(ownAnnouncement({ contentId: rsa.put(payload), size: payload.byteLength }))
  await heard
  const late = await start({ bootnodes: bootnode.addresses() })
  const { contentId, size, peerId } = await announced(late, 'rollouts', from(rsa))
  const result = await late.fetchPayload({ contentId, maxBytes: size, peer: peerId, signal })
  expect(result).toBeInstanceOf(Uint8Array)
})

test('a handler that fails does not stop gossip', async () => {
  const [bootnode, author] = await swarm(2)
  if (author === undefined) return
  bootnode.onAnnouncement('canary', () => {
    throw new Error('handler')
  })
  await author.waitForPeers(1)
  const heard = [announced(bootnode, 'canary', from(author)), announced(bootnode, 'scores', from(author))]
  await author.publish(ownAnnouncement({ kind: 'canary' }))
  await author.publish(ownAnnouncement({ kind: 'scores' }))
  await Promise.all(heard)
})

test('stopping twice, and while others dial, is clean', async () => {
  const [bootnode, peer] = await swarm(2)
  await Promise.all([bootnode.stop(), peer?.stop(), peer?.stop()])
})
