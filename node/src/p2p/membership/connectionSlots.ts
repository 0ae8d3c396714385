import type { Clock } from '#core/clock.ts'
import type { Admission } from './admission.ts'
import { originOf } from './origin.ts'
import { decideSlot, type Held, type SlotDecision, type SlotLimits } from './slots.ts'

type ConnectionSlotsModules = {
  admission: Pick<Admission, 'ask'>
  isMember: (peerId: string) => boolean
  isBootnode: (peerId: string) => boolean
  /** Peers connected now, with the address of the other end. */
  connections: () => readonly { peerId: string; address: string }[]
  limits: SlotLimits
  clock: Clock
  random: () => number
}

/** Time for an admitted peer to connect, and for a registered one to be recognised. */
const SETTLE_MS = 5000

/** Who holds a slot: peers that are connected, and those that were admitted and are about to be. */
export function createConnectionSlots({
  admission,
  isMember,
  limits,
  clock,
  random,
  ...modules
}: ConnectionSlotsModules) {
  const arriving = new Map<string, { address: string; atMs: number }>()

  /** One connection a peer. */
  function held(): Held[] {
    const byPeer = new Map<string, string>()
    for (const [peerId, { address, atMs }] of arriving) {
      if (clock.nowMs() - atMs > SETTLE_MS) arriving.delete(peerId)
      else byPeer.set(peerId, address)
    }
    for (const { peerId, address } of modules.connections()) byPeer.set(peerId, address)
    return [...byPeer].map(([peerId, address]) => ({ peerId, address, isMember: isMember(peerId) }))
  }
  function decide(peerId: string, address: string): SlotDecision {
    return decideSlot({ peerId, address, isMember: isMember(peerId) }, held(), limits, random)
  }
  /** A stranger that finds no slot may be a registered peer that is not known yet. */
  async function decideOnceKnown(peerId: string, address: string): Promise<SlotDecision> {
    if (isMember(peerId)) return decide(peerId, address)
    const asking = admission.ask(peerId, originOf(address)?.subnet ?? address)
    const decision = decide(peerId, address)
    if (decision.admit) return decision
    const standing = await within(SETTLE_MS, asking)
    return standing === 'registered' ? decide(peerId, address) : decision
  }
  async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
    const done = new AbortController()
    const late = clock.sleep(ms, done.signal).catch(() => undefined)
    return Promise.race([work, late]).finally(() => done.abort()) as Promise<T | undefined>
  }

  return {
    held,
    /** Whether a peer that dialled us gets a slot, and which peer it replaces. */
    async admit(peerId: string, address: string): Promise<SlotDecision> {
      const decision = await decideOnceKnown(peerId, address)
      if (decision.admit) arriving.set(peerId, { address, atMs: clock.nowMs() })
      return decision
    },
    /** Records a connection. @returns the peer to evict if there are too many now. */
    connected(peerId: string): string | null {
      arriving.delete(peerId)
      const now = held()
      if (now.length <= limits.total) return null
      const others = now.filter(one => one.peerId !== peerId && !modules.isBootnode(one.peerId))
      const strangers = others.filter(one => !one.isMember)
      const from = strangers.length > 0 ? strangers : others
      return from[Math.floor(random() * from.length)]?.peerId ?? null
    },
  }
}
