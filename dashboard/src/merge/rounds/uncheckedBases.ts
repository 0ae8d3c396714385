import type { RoundPayloads } from '#sources/gateway.ts'

/** A base that some seats do not hold: they vote `unavailable` on work over it. */
export interface UncheckedBase {
  base: string
  /** Seats that lack it, of those that scored the peers over it. */
  seats: number
  of: number
  /** Peers whose work these could not check. */
  peers: number
}

/** Most bases of an environment. A seat may name any number of others. */
const MAX_BASES = 16

/** The bases that seats of a round could not check, by their score sheets: those of the most seats first. */
export function uncheckedBases({ evaluators }: Pick<RoundPayloads, 'evaluators'>): UncheckedBase[] {
  const lacking = evaluators.flatMap(({ votes }, seat) =>
    votes.flatMap(({ peerKey, lacksBase }) => (lacksBase === null ? [] : { seat, peerKey, base: lacksBase })),
  )
  const unchecked = [...Map.groupBy(lacking, ({ base }) => base)].map(([base, of]) => {
    const peers = new Set(of.map(({ peerKey }) => peerKey))
    const scored = evaluators.filter(({ votes }) => votes.some(({ peerKey }) => peers.has(peerKey)))
    return { base, seats: new Set(of.map(({ seat }) => seat)).size, of: scored.length, peers: peers.size }
  })
  return unchecked.sort((a, b) => b.seats - a.seats).slice(0, MAX_BASES)
}
