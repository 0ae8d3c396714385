/** Lies of a peer that was started again as a liar. */
export type PeerLie = 'scores' | 'favour' | 'sampling' | 'payload'

/** Peers that lie once the harm is over, by the names of their folders. */
export const liars: Readonly<Record<string, PeerLie>> = {
  'evaluator-1': 'scores',
  'evaluator-2': 'favour',
  'solver-1': 'sampling',
  'solver-2': 'payload',
}

/** A liar's environment: its kind of lie, and the first round of which it lies. */
export const lieVariables = { kind: 'CHAOS_LIE', fromRound: 'CHAOS_LIES_FROM' } as const

/**
 * Whether a peer lies about a round. Two of three evaluators never lie about the same one, so that the others' votes still settle it;
 * in some rounds both solvers, and in most one of them, give honest work to be lied about.
 */
export function liesAbout(kind: PeerLie, round: number, fromRound: number): boolean {
  const turns = { scores: [2, 0], favour: [2, 1], sampling: [3, 0], payload: [3, 1] } as const
  const [every, turn] = turns[kind]
  return round >= fromRound && round % every === turn
}

/** Whether this process lies about a round. */
export function liesHere(kind: PeerLie, round: number): boolean {
  const { [lieVariables.kind]: own, [lieVariables.fromRound]: fromRound } = process.env
  return own === kind && liesAbout(kind, round, Number(fromRound))
}
