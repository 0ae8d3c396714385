import { generateKeyPair, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { multiaddr } from '@multiformats/multiaddr'
import { systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { createHost, type Host, type HostOptions } from './host.ts'
import type { ServedPayload } from './transfer/payloadTransfer.ts'

export const LOOPBACK = '/ip4/127.0.0.1/tcp/0'

/** A fresh secp256k1 peer key, as libp2p's protobuf. */
export async function newPrivateKey(): Promise<Uint8Array> {
  return privateKeyToProtobuf(await generateKeyPair('secp256k1'))
}

/** A host on a free loopback port, with heartbeats fast enough for a test. */
export async function startTestHost(options: Partial<HostOptions> = {}): Promise<Host> {
  return createHost({
    privateKey: options.privateKey ?? (await newPrivateKey()),
    listen: [LOOPBACK],
    topics: [],
    heartbeatMs: 100,
    clock: systemClock,
    logger: silentLogger,
    ...options,
  })
}

/** A payload in memory, as a host serves it; null of none. */
export function servedFrom(payload: Uint8Array | null | undefined): ServedPayload | null {
  if (!payload) return null
  return {
    bytes: payload.byteLength,
    read: async (from, to) => payload.subarray(from, to),
    close: async () => {},
  }
}

/** Resolves when both sides have the connection: until then libp2p resets it on more than ten streams. */
export async function connect(from: Host, to: Host): Promise<void> {
  await from.node.dial(to.addresses().map(address => multiaddr(address)))
  await until(to.node, ['peer:connect'], () => to.connectedPeers().includes(from.peerId))
}

/** Resolves when `condition` holds; checks it on each of these events of `target`. Rejects after `timeoutMs`. */
export async function until(
  target: EventTargetLike,
  events: readonly string[],
  condition: () => boolean,
  timeoutMs = 30_000,
): Promise<void> {
  if (condition()) return
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: Error): void => {
      clearTimeout(timer)
      for (const name of events) target.removeEventListener(name, look)
      if (error === undefined) resolve()
      else reject(error)
    }
    const look = (): void => {
      if (condition()) settle()
    }
    const timer = setTimeout(() => settle(new Error(`not within ${timeoutMs} ms: ${condition}`)), timeoutMs)
    for (const name of events) target.addEventListener(name, look)
  })
}

type EventTargetLike = {
  addEventListener(type: string, listener: () => void): void
  removeEventListener(type: string, listener: () => void): void
}
