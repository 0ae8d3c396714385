import type { Clock } from '#core/clock.ts'
import type { Admission } from './admission.ts'
import { decideSlot, type Held, type SlotDecision, type SlotLimits } from './slots.ts'

type ConnectionSlotsModules = {
  admission: Pick<Admission, 'ask'>
  isMember: (peerId: string) => boolean
  isBootnode: (peerId: string) => boolean
  /** Peers connected now, with the address of the other end. */
  connections: () => readonly { peerId: string; address: string }[]
  /** Reads what the sources of connections depend on, once for all. @returns the source of a connection. */
  readSources: () => (connection: { peerId: string; address: string }) => string
  limits: SlotLimits
  clock: Clock
  random: () => number
}

/** Time for an admitted peer to connect, for an evicted one to disconnect, and for a registered one to be recognised. */
const SETTLE_MS = 5000

/** Peers with a slot: connected ones, and admitted ones that are about to connect. */
export function createConnectionSlots({
  admission,
  isMember,
  readSources,
  limits,
  clock,
  random,
  ...modules
}: ConnectionSlotsModules) {
  const arriving = new Map<string, { address: string; atMs: number }>()
  /** Evicted peers, and when: their slots are free at once. */
  const leaving = new Map<string, number>()
  const meetings = createMeetings(clock)

  /** One connection a peer. */
  function held(sourceOf = readSources()): Held[] {
    const byPeer = new Map<string, string>()
    for (const [peerId, { address, atMs }] of arriving) {
      if (clock.nowMs() - atMs > SETTLE_MS) arriving.delete(peerId)
      else byPeer.set(peerId, address)
    }
    const here = new Map(modules.connections().map(({ peerId, address }) => [peerId, address]))
    meetings.goOn(here)
    for (const [peerId, atMs] of leaving) {
      if (!here.has(peerId) || clock.nowMs() - atMs > SETTLE_MS) leaving.delete(peerId)
      else here.delete(peerId)
    }
    for (const [peerId, address] of here) byPeer.set(peerId, address)
    return [...byPeer].map(([peerId, address]) => ({
      ...{ peerId, address, source: sourceOf({ peerId, address }), isMember: isMember(peerId) },
      ...{ isHere: here.has(peerId), hasMet: meetings.hasMet(peerId) },
    }))
  }
  function decide(peerId: string, address: string): SlotDecision {
    const sourceOf = readSources()
    const others = held(sourceOf)
    const newcomer = {
      ...{ peerId, address, source: sourceOf({ peerId, address }), isMember: isMember(peerId) },
      isHere: false,
      hasMet: meetings.wasHereLately(peerId),
    }
    const decision = decideSlot(newcomer, others, limits, random)
    if (!decision.admit) return decision
    // Noted at once: hundreds may be decided on in the same turn, after an answer of the chain.
    arriving.set(peerId, { address, atMs: clock.nowMs() })
    if (newcomer.isMember) meetings.note(peerId)
    if (decision.evict !== undefined) leaving.set(decision.evict, clock.nowMs())
    return decision
  }
  /**
   * Whether a peer that dialled us gets a slot, and which peer it replaces. A stranger that finds none may be a registered peer that is
   * not known yet.
   */
  async function admit(peerId: string, address: string): Promise<SlotDecision> {
    if (isMember(peerId)) return decide(peerId, address)
    const asking = admission.ask(peerId, readSources()({ peerId, address }), 'newcomer')
    const decision = decide(peerId, address)
    if (decision.admit) return decision
    const standing = await within(clock, SETTLE_MS, asking)
    return standing === 'registered' ? decide(peerId, address) : decision
  }

  return {
    held: () => held(),
    admit,
    /** Records a connection. @returns the peer to evict if there are too many now. */
    connected(peerId: string): string | null {
      arriving.delete(peerId)
      leaving.delete(peerId)
      meetings.begin(peerId)
      const now = held()
      if (now.length <= limits.total) return null
      const others = now.filter(one => one.peerId !== peerId && one.isHere && !modules.isBootnode(one.peerId))
      const evicted = drawEvicted(others, random)
      if (evicted !== null) leaving.set(evicted, clock.nowMs())
      return evicted
    },
  }
}

/** Draws the peer to evict: a stranger if there is one, else a peer that has had its time, else any. */
function drawEvicted(others: readonly Held[], random: () => number): string | null {
  const classes = [others.filter(one => !one.isMember), others.filter(one => one.hasMet), others]
  const from = classes.find(some => some.length > 0) ?? []
  return from[Math.floor(random() * from.length)]?.peerId ?? null
}

/** Undefined if the work takes longer. */
async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  const done = new AbortController()
  const late = clock.sleep(ms, done.signal).catch(() => undefined)
  return Promise.race([work, late]).finally(() => done.abort()) as Promise<T | undefined>
}

/** Time in which a new peer catches up, in both directions: evicted sooner, its connection was useless. */
const MEETING_MS = 2_000
/** A peer that was connected within this time waits for those that were not. */
const LATELY_MS = 60_000

/** Peers that have been connected long enough to catch up, and peers that were connected recently. */
function createMeetings(clock: Clock) {
  const sinceMs = new Map<string, number>()
  /** When each peer was here last, in that order. */
  const hereAtMs = new Map<string, number>()

  const hasMet = (peerId: string): boolean =>
    clock.nowMs() - (sinceMs.get(peerId) ?? Number.POSITIVE_INFINITY) >= MEETING_MS
  function note(peerId: string): void {
    hereAtMs.delete(peerId)
    hereAtMs.set(peerId, clock.nowMs())
  }
  return {
    /** A connection with a peer begins. */
    begin: (peerId: string) => void sinceMs.set(peerId, clock.nowMs()),
    /** @param here - everybody who is connected now. */
    goOn(here: ReadonlyMap<string, unknown>): void {
      for (const peerId of sinceMs.keys()) if (!here.has(peerId)) sinceMs.delete(peerId)
      for (const peerId of here.keys()) if (hasMet(peerId)) note(peerId)
      for (const [peerId, atMs] of hereAtMs) {
        if (clock.nowMs() - atMs < LATELY_MS) return
        hereAtMs.delete(peerId)
      }
    },
    hasMet,
    note,
    wasHereLately: (peerId: string) => clock.nowMs() - (hereAtMs.get(peerId) ?? Number.NEGATIVE_INFINITY) < LATELY_MS,
  }
}
