import type { ContentId, PeerKey } from '#core/hashes.ts'

/** Whose body it is, and what it is: quotas go by both. */
export type BodyOwner = { peerKey: PeerKey; kind: string }

/** `owner`: null for this peer's own bodies, which no quota refuses or removes. */
export type KeptBody = { contentId: ContentId; round: number; bytes: number; owner: BodyOwner | null }

export type QuotaLimits = {
  /** Of all bodies. */
  totalBytes: number
  /** Of one peer's bodies. */
  peerBytes: number
  /** Largest part of either that a kind may take, over 0 to 1. Kinds that are not named may take all. */
  kindShares: Readonly<Record<string, number>>
}

/**
 * Two hundred rounds of a solver's bundles, each of 64 answers of 512 tokens of 8 bytes, are 52 MB. Score sheets may be of
 * 16 MiB. Canaries are small, and only people read them.
 */
export const defaultQuotas: QuotaLimits = {
  totalBytes: 8 * 2 ** 30,
  peerBytes: 256 * 2 ** 20,
  kindShares: { scores: 1 / 2, canary: 1 / 8, policy: 1 / 4 },
}

/** Kinds of which an author may commit several bodies in a round: each evaluator of more peers than one score sheet takes. */
export const kindsInParts: ReadonlySet<string> = new Set(['scores'])

/**
 * A peer may take this part of what the others leave. So the store never fills up: n peers that all keep putting bodies end
 * at 1 / (n + 7) of it each, and one that comes after them has nearly as much.
 */
const PART_OF_REST = 1 / 8

export type BodyQuota = {
  add(body: KeptBody): void
  remove(body: KeptBody): void
  /**
   * The owner's bodies that must go, oldest first, so that one more fits; an earlier one of the same kind and round always
   * goes, or always stays where the kind comes in parts. Null if it does not fit. Never names a body of another owner, nor
   * one of a later round.
   */
  roomFor(owner: BodyOwner, round: number, bytes: number): KeptBody[] | null
  /** What must go so that all limits hold: the oldest of whoever has too much, then of whoever has most. */
  excess(): KeptBody[]
}

/** Bytes by peer, by kind and in all, and what has to go for more. It touches no disk. */
export function createBodyQuota({ totalBytes, peerBytes, kindShares }: QuotaLimits): BodyQuota {
  const byPeer = new Map<string, Set<KeptBody>>()
  const used = new Map<string, number>()
  const usedBy = (key: string) => used.get(key) ?? 0
  const shareOf = (kind: string) => kindShares[kind] ?? 1

  function count({ owner, bytes }: KeptBody, sign: 1 | -1): void {
    const keys = owner === null ? [ALL] : [ALL, owner.kind, owner.peerKey, `${owner.peerKey} ${owner.kind}`]
    for (const key of keys) used.set(key, usedBy(key) + sign * bytes)
  }

  /** By how much `own` bytes, of `all` that are taken with them, are over the limit of a `share`. */
  function over(own: number, more: number, all: number, share: number): boolean {
    const rest = totalBytes * share - (all - own)
    return own + more > Math.min(peerBytes * share, rest * PART_OF_REST)
  }

  function roomFor({ peerKey, kind }: BodyOwner, round: number, bytes: number): KeptBody[] | null {
    const share = shareOf(kind)
    const isOfSlot = (body: KeptBody) => body.round === round && body.owner?.kind === kind
    const inParts = kindsInParts.has(kind)
    const earlier = [...(byPeer.get(peerKey) ?? [])]
      .filter(body => body.round <= round && !(inParts && isOfSlot(body)))
      .sort((a, b) => a.round - b.round)
    const gone = earlier.filter(isOfSlot)
    for (;;) {
      const goneBytes = sum(gone)
      const goneOfKind = sum(gone.filter(body => body.owner?.kind === kind))
      const ofKind = usedBy(`${peerKey} ${kind}`) - goneOfKind
      const kindIsOver = over(ofKind, bytes, usedBy(kind) - goneOfKind, share)
      if (!kindIsOver && !over(usedBy(peerKey) - goneBytes, bytes, usedBy(ALL) - goneBytes, 1)) return gone
      const next = earlier.find(body => !gone.includes(body) && (!kindIsOver || body.owner?.kind === kind))
      if (next === undefined) return null
      gone.push(next)
    }
  }

  function excess(): KeptBody[] {
    const gone = new Set<KeptBody>()
    const kinds = new Set([...byPeer.values()].flatMap(bodies => [...bodies].flatMap(({ owner }) => owner?.kind ?? [])))
    const own = usedBy(ALL) - sum([...byPeer.values()].flatMap(bodies => [...bodies]))
    for (const kind of [...kinds, null]) {
      const share = kind === null ? 1 : shareOf(kind)
      const held = [...byPeer.values()].map(bodies =>
        [...bodies].filter(body => !gone.has(body) && (kind === null || body.owner?.kind === kind)),
      )
      const level = Math.min(peerBytes * share, evenLevel(held.map(sum), totalBytes * share - own))
      for (const body of held.flatMap(bodies => oldestAbove(bodies, level))) gone.add(body)
    }
    return [...gone]
  }

  return {
    add(body) {
      count(body, 1)
      if (body.owner === null) return
      const { peerKey } = body.owner
      byPeer.set(peerKey, (byPeer.get(peerKey) ?? new Set()).add(body))
    },
    remove(body) {
      const bodies = body.owner && byPeer.get(body.owner.peerKey)
      if (body.owner !== null && !bodies?.delete(body)) return
      count(body, -1)
      if (body.owner !== null && bodies?.size === 0) byPeer.delete(body.owner.peerKey)
    },
    roomFor,
    excess,
  }
}

const ALL = ''

function sum(bodies: readonly KeptBody[]): number {
  return bodies.reduce((total, { bytes }) => total + bytes, 0)
}

/** The oldest, as many as it takes for the rest to be `bytes` at most. */
function oldestAbove(bodies: readonly KeptBody[], bytes: number): KeptBody[] {
  let left = sum(bodies)
  return bodies
    .toSorted((a, b) => a.round - b.round)
    .filter(body => {
      if (left <= bytes) return false
      left -= body.bytes
      return true
    })
}

/** What each may have so that all together have at most `budget`: those below it keep what they have. */
function evenLevel(sizes: readonly number[], budget: number): number {
  let left = Math.max(0, budget)
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const even = left / (sizes.length - index)
    if (size > even) return even
    left -= size
  }
  return Number.POSITIVE_INFINITY
}
