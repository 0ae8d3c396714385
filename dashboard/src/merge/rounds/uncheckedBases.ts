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

/** The bases that seats of a round could not check, by their score sheets. */
export function uncheckedBases({ evaluators }: Pick<RoundPayloads, 'evaluators'>): UncheckedBase[] {
  const lacking = evaluators.flatMap(({ votes }, seat) =>
    votes.flatMap(({ peerKey, lacksBase }) => (lacksBase === null ? [] : { seat, peerKey, base: lacksBase })),
  )
  return [...Map.groupBy(lacking, ({ base }) => base)].map(([base, of]) => {
    const peers = new Set(of.map(({ peerKey }) => peerKey))
    const scored = evaluators.filter(({ votes }) => votes.some(({ peerKey }) => peers.has(peerKey)))
    return { base, seats: new Set(of.map(({ seat }) => seat)).size, of: scored.length, peers: peers.size }
  })
}
