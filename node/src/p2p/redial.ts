import { multiaddr } from '@multiformats/multiaddr'
import type { Clock } from '#core/clock.ts'
import { withDeadline } from '#core/deadline.ts'
import type { Logger } from '#core/logger.ts'
import type { Contact } from './addressBook.ts'
import { AddressError } from './errors.ts'
import type { Host } from './host.ts'

export type RedialOptions = {
  /** Multiaddrs that are to be connected always. Those without `/p2p/…` are learnt on the first dial. */
  bootnodes: readonly string[]
  /** Peers worth a connection while there are fewer than `targetPeers`. */
  contacts: () => readonly Contact[]
  targetPeers?: number
  clock: Clock
  logger: Logger
  random?: () => number
}

export type Redial = {
  /** Looks again now: there may be somebody new to dial. */
  wake(): void
  stop(): Promise<void>
}

const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 30_000
const LOOK_EVERY_MS = 5000
const DIAL_TIMEOUT_MS = 10_000
/** More than one, as a peer that does not answer is waited for. */
const PARALLEL_DIALS = 2
/** A new connection is followed by some dozens of milliseconds of handshakes and questions, on both sides. */
const BETWEEN_DIALS_MS = 250
/** Of two peers that learn of each other at once, one waits for the other to dial. */
const YIELD_MS = 3000

type Target = { peerId: string | undefined; addresses: string[]; bootnode: boolean; failures: number; nextAtMs: number }

/**
 * Keeps the host connected: dials bootnodes and known peers, each with its own doubling, jittered back-off, for ever.
 *
 * Ours instead of libp2p's keep-alive tags, which give up after five tries and do not always heal a partition.
 *
 * @throws {AddressError} if a bootnode is no multiaddr.
 */
export function startRedial(host: Host, options: RedialOptions): Redial {
  const { clock, logger } = options
  const random = options.random ?? Math.random
  const stopping = new AbortController()
  const targets = new Map(options.bootnodes.map(address => [address, bootnodeTarget(address)]))
  let woken = false
  let endNap = (): void => {}
  const wake = (): void => {
    woken = true
    endNap()
  }

  const isConnected = (target: Target): boolean =>
    target.peerId === host.peerId || (target.peerId !== undefined && host.connectedPeers().includes(target.peerId))

  function learn(): void {
    const known = new Set([...targets.values()].map(target => target.peerId))
    const contacts = options.contacts()
    for (const contact of contacts) {
      const target = targets.get(contact.peerId)
      if (target !== undefined) target.addresses = contact.addresses
      else if (!known.has(contact.peerId)) {
        const nextAtMs = clock.nowMs() + (host.peerId < contact.peerId ? 0 : YIELD_MS * (0.5 + random()))
        targets.set(contact.peerId, { ...contact, bootnode: false, failures: 0, nextAtMs })
      }
    }
    const named = new Set(contacts.map(contact => contact.peerId))
    for (const [key, target] of targets) if (!target.bootnode && !named.has(key)) targets.delete(key)
  }
  function due(): Target[] {
    const now = clock.nowMs()
    const missing = (options.targetPeers ?? 16) - host.connectedPeers().length
    const waiting = [...targets.values()].filter(
      target => target.nextAtMs <= now && !isConnected(target) && !host.guard.isBanned(target.peerId ?? ''),
    )
    const bootnodes = waiting.filter(target => target.bootnode)
    const others = waiting.filter(target => !target.bootnode).slice(0, Math.max(0, missing))
    return [...bootnodes, ...others].slice(0, PARALLEL_DIALS)
  }
  async function dial(target: Target): Promise<void> {
    const signal = withDeadline(stopping.signal, DIAL_TIMEOUT_MS)
    try {
      const connection = await host.node.dial(
        target.addresses.map(one => multiaddr(one)),
        { signal },
      )
      target.peerId = connection.remotePeer.toString()
      target.failures = 0
      target.nextAtMs = clock.nowMs() + FIRST_DELAY_MS
    } catch (cause) {
      if (stopping.signal.aborted) return
      const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** target.failures) * (0.5 + random())
      target.failures += 1
      target.nextAtMs = clock.nowMs() + delayMs
      logger.debug('dial failed', { peer: target.peerId, addresses: target.addresses, delayMs, cause })
    }
  }
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      learn()
      for (let batch = due(); batch.length > 0 && !stopping.signal.aborted; batch = due()) {
        await Promise.all(batch.map(dial))
        if (due().length > 0) await sleep(BETWEEN_DIALS_MS, stopping.signal)
      }
      const now = clock.nowMs()
      const next = [...targets.values()].filter(target => !isConnected(target)).map(target => target.nextAtMs - now)
      await rest(Math.max(50, Math.min(LOOK_EVERY_MS, ...next.filter(ms => ms > 0))))
    }
  }
  /** Sleeps until it is time, or somebody wakes it, or all ends. */
  async function rest(ms: number): Promise<void> {
    const nap = new AbortController()
    endNap = () => nap.abort()
    const signal = AbortSignal.any([nap.signal, stopping.signal])
    if (!woken) await sleep(ms, signal)
    woken = false
  }
  async function sleep(ms: number, signal: AbortSignal): Promise<void> {
    await clock.sleep(ms, signal).catch(cause => {
      if (!signal.aborted) throw cause
    })
  }

  host.node.addEventListener('peer:disconnect', wake)
  const done = run().catch(cause => logger.error('stopped redialling', { cause }))
  return {
    wake,
    async stop() {
      host.node.removeEventListener('peer:disconnect', wake)
      stopping.abort()
      await done
    },
  }
}

function bootnodeTarget(address: string): Target {
  try {
    const parts = multiaddr(address).getComponents()
    const peerId = parts.findLast(part => part.name === 'p2p')?.value
    return { peerId, addresses: [address], bootnode: true, failures: 0, nextAtMs: 0 }
  } catch (cause) {
    throw new AddressError(`The bootnode '${address}' is not a multiaddr.`, {
      hint: 'Write it as /ip4/203.0.113.7/tcp/38331/p2p/16Uiu2…, as the bootnode prints it.',
      cause,
    })
  }
}
