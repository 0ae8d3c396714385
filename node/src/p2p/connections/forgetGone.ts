import { peerIdFromString } from '@libp2p/peer-id'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import type { Node } from '../libp2pNode.ts'
import { connectedPeers } from './connectedPeers.ts'

/** A peer's identify data may reach libp2p's store this long after the peer has left. */
const AFTER_MS = 1_000

type Options = {
  /** Whether the address book knows the peer: its entries stay. */
  isKnown: (peerId: string) => boolean
  clock: Clock
  logger: Logger
}

/**
 * Deletes libp2p's data about peers that are neither connected nor known. By itself libp2p keeps each peer's identify data, tens of
 * kilobytes, until the process ends, and peer ids cost nothing.
 */
export function forgetGone(node: Node, { isKnown, clock, logger }: Options) {
  const stopping = new AbortController()
  let gone = new Set<string>()
  let wake = () => {}

  async function forget(peerId: string): Promise<void> {
    if (isKnown(peerId) || connectedPeers(node).has(peerId)) return
    await node.peerStore.delete(peerIdFromString(peerId))
  }
  async function run(): Promise<void> {
    for (;;) {
      if (gone.size === 0) await new Promise<void>(resolve => (wake = resolve))
      const due = gone
      gone = new Set()
      await clock.sleep(AFTER_MS, stopping.signal)
      for (const peerId of due)
        await forget(peerId).catch(cause => logger.debug('a peer cannot be forgotten', { peer: peerId, cause }))
    }
  }

  run().catch(cause => {
    if (!stopping.signal.aborted) logger.error('stopped forgetting peers', { cause })
  })
  return {
    /** A peer is not connected, or not known, any more. */
    left(peerId: string): void {
      gone.add(peerId)
      wake()
    },
    stop: () => stopping.abort(),
  }
}
