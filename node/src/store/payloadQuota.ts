import type { ContentId, PeerKey } from '#core/hashes.ts'

/** Peer and kind of a payload, which both have quotas. */
export type PayloadOwner = { peerKey: PeerKey; kind: string }

/** `owner`: null for this peer's own payloads, which no quota refuses or removes. */
export type KeptPayload = { contentId: ContentId; round: number; bytes: number; owner: PayloadOwner | null }

export type QuotaLimits = {
  /** Bytes of all payloads. */
  totalBytes: number
  /** Bytes of one peer's payloads. */
  peerBytes: number
  /** Largest share of either that a kind may take, above 0 up to 1. Kinds that are not listed may take all. */
  kindShares: Readonly<Record<string, number>>
}

/**
 * Two hundred rounds of a solver's bundles, each of 64 answers of 512 tokens of 8 bytes, are 52 MB. Score sheets may be of
 * 16 MiB. Canaries are small, and only people read them. A jury may ask a seat for a peer's policies of nine rounds, each of 64 MiB at most.
 */
export const defaultQuotas: QuotaLimits = {
  totalBytes: 8 * 2 ** 30,
  peerBytes: 2 ** 30,
  kindShares: { scores: 1 / 2, canary: 1 / 8, policy: 3 / 4 },
}

/** Kinds of which an author may commit several payloads in a round: each evaluator of more peers than one score sheet takes. */
export const kindsInParts: ReadonlySet<string> = new Set(['scores'])

/**
 * A peer may take this share of the space that the others leave. So the store never fills up: n peers that keep adding payloads end at 1 / (n + 7)
 * of it each, and a later peer gets nearly as much.
 */
const PART_OF_REST = 1 / 8

/** Bytes that one peer may have, of a kind or in total, in an otherwise empty store. */
export function roomOfPeer({ totalBytes, peerBytes, kindShares }: QuotaLimits, kind?: string): number {
  const share = kind === undefined ? 1 : (kindShares[kind] ?? 1)
  return Math.min(peerBytes * share, totalBytes * share * PART_OF_REST)
}

/** Share of the store, and of each kind's quota, that is reserved for payloads that can still decide something. */
const LEFT_TO_NEEDED = 1 / 2

export type PayloadQuota = {
  add(payload: KeptPayload): void
  remove(payload: KeptPayload): void
  /**
   * The owner's payloads to delete, oldest first, so that one more fits. An earlier one of the same kind and round is always deleted, or always stays
   * if the kind comes in parts. Null if the payload does not fit. Never returns a payload of another owner or of a later round.
   */
  roomFor(owner: PayloadOwner, round: number, bytes: number): KeptPayload[] | null
  /** Payloads to delete so that all limits hold: the oldest of peers above their limit, then of the peer with the most. */
  excess(): KeptPayload[]
  /** Others' payloads of rounds before this one to delete, the oldest first, so that they take no space from newer ones. */
  history(before: number): KeptPayload[]
}

/** Counts bytes by peer, by kind and in total, and selects payloads to delete. It does not access the disk. */
export function createPayloadQuota(limits: QuotaLimits): PayloadQuota {
  const byPeer = new Map<string, Set<KeptPayload>>()
  const used = new Map<string, number>()

  function count({ owner, bytes }: KeptPayload, sign: 1 | -1): void {
    const keys = owner === null ? [ALL] : [ALL, owner.kind, owner.peerKey, `${owner.peerKey} ${owner.kind}`]
    for (const key of keys) used.set(key, (used.get(key) ?? 0) + sign * bytes)
  }

  return {
    add(payload) {
      count(payload, 1)
      if (payload.owner === null) return
      const { peerKey } = payload.owner
      byPeer.set(peerKey, (byPeer.get(peerKey) ?? new Set()).add(payload))
    },
    remove(payload) {
      const payloads = payload.owner && byPeer.get(payload.owner.peerKey)
      if (payload.owner !== null && !payloads?.delete(payload)) return
      count(payload, -1)
      if (payload.owner !== null && payloads?.size === 0) byPeer.delete(payload.owner.peerKey)
    },
    ...createSelection(limits, byPeer, used),
  }
}

/**
 * Selects payloads to delete.
 *
 * @param byPeer - the others' payloads, by author.
 * @param used - bytes of all payloads, and by kind, author, and author and kind.
 */
function createSelection(
  { totalBytes, peerBytes, kindShares }: QuotaLimits,
  byPeer: ReadonlyMap<string, ReadonlySet<KeptPayload>>,
  used: ReadonlyMap<string, number>,
): Pick<PayloadQuota, 'roomFor' | 'excess' | 'history'> {
  const usedBy = (key: string) => used.get(key) ?? 0
  const shareOf = (kind: string) => kindShares[kind] ?? 1
  const heldByPeer = () => [...byPeer.values()].map(payloads => [...payloads])

  /** Number of bytes by which `own` bytes, out of `all` taken bytes, exceed the limit of a `share`. */
  function over(own: number, more: number, all: number, share: number): boolean {
    const rest = totalBytes * share - (all - own)
    return own + more > Math.min(peerBytes * share, rest * PART_OF_REST)
  }

  function roomFor({ peerKey, kind }: PayloadOwner, round: number, bytes: number): KeptPayload[] | null {
    const share = shareOf(kind)
    const isOfSlot = (payload: KeptPayload) => payload.round === round && payload.owner?.kind === kind
    const inParts = kindsInParts.has(kind)
    const earlier = [...(byPeer.get(peerKey) ?? [])]
      .filter(payload => payload.round <= round && !(inParts && isOfSlot(payload)))
      .sort((a, b) => a.round - b.round)
    const gone = earlier.filter(isOfSlot)
    for (;;) {
      const goneBytes = sum(gone)
      const goneOfKind = sum(gone.filter(payload => payload.owner?.kind === kind))
      const ofKind = usedBy(`${peerKey} ${kind}`) - goneOfKind
      const kindIsOver = over(ofKind, bytes, usedBy(kind) - goneOfKind, share)
      if (!kindIsOver && !over(usedBy(peerKey) - goneBytes, bytes, usedBy(ALL) - goneBytes, 1)) return gone
      const next = earlier.find(payload => !gone.includes(payload) && (!kindIsOver || payload.owner?.kind === kind))
      if (next === undefined) return null
      gone.push(next)
    }
  }

  function excess(): KeptPayload[] {
    const gone = new Set<KeptPayload>()
    const others = heldByPeer()
    const kinds = new Set(others.flat().flatMap(({ owner }) => owner?.kind ?? []))
    const own = usedBy(ALL) - sum(others.flat())
    for (const kind of [...kinds, null]) {
      const share = kind === null ? 1 : shareOf(kind)
      const held = others.map(payloads =>
        payloads.filter(payload => !gone.has(payload) && (kind === null || payload.owner?.kind === kind)),
      )
      const level = Math.min(peerBytes * share, evenLevel(held.map(sum), totalBytes * share - own))
      for (const payload of held.flatMap(payloads => oldestAbove(payloads, level))) gone.add(payload)
    }
    return [...gone]
  }

  function history(before: number): KeptPayload[] {
    const [usedHere, gone] = [new Map(used), [] as KeptPayload[]]
    const isOver = (key: string, share: number) => (usedHere.get(key) ?? 0) > totalBytes * share * (1 - LEFT_TO_NEEDED)
    const old = heldByPeer()
      .flat()
      .filter(({ round }) => round < before)
    for (const payload of old.sort((a, b) => a.round - b.round)) {
      const kind = payload.owner?.kind ?? ALL
      if (!isOver(ALL, 1) && !isOver(kind, shareOf(kind))) continue
      gone.push(payload)
      for (const key of [ALL, kind]) usedHere.set(key, (usedHere.get(key) ?? 0) - payload.bytes)
    }
    return gone
  }

  return { roomFor, excess, history }
}

const ALL = ''

function sum(payloads: readonly KeptPayload[]): number {
  return payloads.reduce((total, { bytes }) => total + bytes, 0)
}

/** The oldest ones, so many that the rest has at most `bytes` bytes. */
function oldestAbove(payloads: readonly KeptPayload[], bytes: number): KeptPayload[] {
  let left = sum(payloads)
  return payloads
    .toSorted((a, b) => a.round - b.round)
    .filter(payload => {
      if (left <= bytes) return false
      left -= payload.bytes
      return true
    })
}

/** The level to which larger sizes must fall so that all together have at most `budget`; smaller ones stay. */
function evenLevel(sizes: readonly number[], budget: number): number {
  let left = Math.max(0, budget)
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const even = left / (sizes.length - index)
    if (size > even) return even
    left -= size
  }
  return Number.POSITIVE_INFINITY
}
