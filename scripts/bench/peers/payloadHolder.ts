import { randomBytes } from 'node:crypto'
import { systemClock } from '../../../node/src/core/clock.ts'
import { contentId } from '../../../node/src/core/contentId.ts'
import type { Hex } from '../../../node/src/core/hex.ts'
import { silentLogger } from '../../../node/src/core/logger.ts'
import { servedFrom, startTestHost } from '../../../node/src/p2p/testHosts.ts'
import { serveBundles } from '../../../node/src/p2p/transfer/payloadTransfer.ts'

// A process that holds payloads on loopback, until it is killed or its parent has gone.

export type HeldPayloads = { peerId: string; addresses: string[]; contentIds: Hex[]; size: number }

/** A holder gives one peer 64 MiB at once before it paces itself. */
const PAYLOADS = 60
const size = 1 << 20

const payloads = new Map<Hex, Uint8Array>()
while (payloads.size < PAYLOADS) {
  const payload = Uint8Array.from(randomBytes(size))
  payloads.set(contentId(payload), payload)
}
const host = await startTestHost()
const source = { open: async (id: Hex) => servedFrom(payloads.get(id)) }
await serveBundles(host, { source, clock: systemClock, logger: silentLogger })
process.on('disconnect', () => process.exit())
const held: HeldPayloads = { peerId: host.peerId, addresses: host.addresses(), contentIds: [...payloads.keys()], size }
process.send?.(held)
