import { type RolloutBundle, tokenWidth } from '#core/payloads/payloads.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import type { Journal } from '#store/journal.ts'

/** Payloads become public when a round ends, and have arrived a round later. */
const AFTER_ROUNDS = 2
/** Rounds searched back for one with payloads. */
const LOOK_BACK = 5

const TOKENS = 'tokens '
const SECONDS = 'seconds'

/** Notes how long a round is, seconds. */
export function noteLength(journal: Pick<Journal, 'set'>, round: number, seconds: number): void {
  journal.set(round, SECONDS, seconds)
}

/** Notes how many completion tokens a solver committed to. */
export function noteSampled(journal: Pick<Journal, 'set'>, round: number, peerId: string, bundle: RolloutBundle): void {
  const rollouts = bundle.groups.flatMap(group => group.rollouts)
  const tokens = rollouts.reduce((sum, one) => sum + one.completionTokens.byteLength / (tokenWidth(one) ?? 2), 0)
  journal.set(round, TOKENS + peerId, tokens)
}

/**
 * Completion tokens that solvers committed to in the newest round with stored payloads, and the length of that round; null if there is none. Anyone
 * who has the payloads counts the same.
 */
export function sampledView({ round: factsOf }: Pick<Journal, 'round'>, now: number) {
  for (let round = now - AFTER_ROUNDS; round >= Math.max(0, now - LOOK_BACK); round--) {
    const facts = factsOf(round)
    const solvers = Object.entries(facts).flatMap(([key, tokens]) =>
      key.startsWith(TOKENS) ? [{ peerKey: peerKeyOf(key.slice(TOKENS.length)), tokens: Number(tokens) }] : [],
    )
    const seconds = Number(facts[SECONDS] ?? 0)
    if (solvers.length > 0 && seconds > 0) return { round, seconds, solvers }
  }
  return null
}
