import type { Clock } from '../../../node/src/core/clock.ts'
import { encodeAddresses } from '../../../node/src/p2p/gossip/addressAnnouncement.ts'
import { encodeSigned, type SignedMessage } from '../../../node/src/p2p/gossip/signedMessage.ts'
import { topicOf } from '../../../node/src/p2p/gossip/topics.ts'
import type { PeerNode } from '../../../node/src/roles/peerNode.ts'
import { addressOf, type Medium, type Station } from './medium.ts'
import { idOf } from './simulatedGossip.ts'
import { createSigner, signatureOf } from './simulatedNetwork.ts'
import { type Hostile, SWARM } from './simulatedPeer.ts'
import { peerIdOf } from './simulateSwarm.ts'

const TOPIC = topicOf(SWARM, 'addresses')
/** Addresses in each answer, identities of one peer, messages of a flood in a second. */
const [ADDRESSES, IDENTITIES, FLOOD] = [2_000, 100, 10]
const REDIAL_MS = 10_000
/** Numbers of identities that nobody registered; each peer that invents some begins elsewhere. */
const INVENTED = { first: 200_000, each: 2_000, peers: 100 }

/** Solvers that answer nothing right, and flood the network of the others. */
export const hostileTraffic: Record<string, Hostile> = {
  'invented addresses': () => {
    const said: SignedMessage[] = []
    return {
      skill: 0,
      answer: () => said,
      async alongside({ clock }) {
        for (const one of invented(ADDRESSES)) said.push(await addressesOf(one, clock))
      },
    }
  },
  'throwaway identities': medium => ({
    skill: 0,
    async alongside({ clock, signal }) {
      const identities = invented(IDENTITIES)
      for (const one of identities) medium.join(silent(one))
      while (!signal.aborted) {
        for (const { peerId } of identities) medium.dial(peerId, pick(medium.addresses()) ?? '').catch(() => undefined)
        await clock.sleep(REDIAL_MS, signal)
      }
    },
  }),
  'unknown authors': medium => ({
    skill: 0,
    alongside(node) {
      const authors = invented(INVENTED.each)
      return flood(medium, node, () => addressesOf(pick(authors) as Identity, node.clock))
    },
  }),
  'forged messages': medium => ({
    skill: 0,
    alongside: node => flood(medium, node, async () => forged(pick(medium.peerIds()) ?? '', node)),
  }),
}

type Identity = { peerId: string; address: string }

function invented(count: number): Identity[] {
  const first = INVENTED.first + INVENTED.each * Math.floor(INVENTED.peers * Math.random())
  return Array.from({ length: count }, (_, at) => {
    const peerId = peerIdOf(first + at)
    return { peerId, address: addressOf(first + at, peerId) }
  })
}

const dataOf = ({ peerId, address }: Identity) =>
  encodeAddresses({ v: 1, kind: 'addresses', chainId: SWARM.chainId, peerId, multiaddrs: [address] })

const addressesOf = (identity: Identity, clock: Clock) => createSigner(identity.peerId, clock)(TOPIC, dataOf(identity))

/** Another peer's address, with its author's name and the sender's signature. */
function forged(author: string, { network, clock }: PeerNode): SignedMessage {
  const data = dataOf({ peerId: author, address: addressOf(INVENTED.first, author) })
  const sequence = new Uint8Array(8)
  new DataView(sequence.buffer).setBigUint64(
    0,
    BigInt(clock.nowMs()) * 1_000_000n + BigInt(Math.floor(1e6 * Math.random())),
  )
  return encodeSigned({
    ...{ from: author, sequence, topic: TOPIC, data },
    ...{ signature: signatureOf(network.peerId), key: new Uint8Array(0) },
  })
}

/** Sends messages to one of the linked peers every second. */
async function flood(
  medium: Medium,
  { network: { peerId }, clock, signal }: PeerNode,
  next: () => Promise<SignedMessage>,
): Promise<void> {
  while (!signal.aborted) {
    const to = pick(medium.subscribersOf(TOPIC, peerId))
    for (let count = 0; count < FLOOD && to !== undefined; count++) {
      const message = await next()
      medium.send(peerId, to, TOPIC, message.bytes, idOf(message))
    }
    await clock.sleep(1_000, signal)
  }
}

/** Takes a connection, and gives nothing for it. */
const silent = ({ peerId, address }: Identity): Station => ({
  ...{ peerId, address, admits: async () => false, connected() {}, disconnected() {} },
  ...{ subscribes: () => true, hasSeen: () => false, receive() {}, answer: () => null, serve: async () => 'not-found' },
})

const pick = <T>(among: readonly T[]): T | undefined => among[Math.floor(among.length * Math.random())]
