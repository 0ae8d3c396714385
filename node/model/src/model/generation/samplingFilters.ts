import type { Race } from './tokenRaces.ts'

/** Changes to the distribution that a token is drawn from; by default none. */
export interface SamplingFilters {
  /** Only the k most likely tokens. */
  readonly topK?: number | undefined
  /** Only the most likely tokens that together have this probability (arXiv:1904.09751). */
  readonly topP?: number | undefined
  /** Only tokens at least this share as likely as the most likely one (arXiv:2407.01082). */
  readonly minP?: number | undefined
  /** Logits of tokens that prompt or completion has are divided by it, negative ones multiplied (arXiv:1909.05858). */
  readonly repetitionPenalty?: number | undefined
}

/** How a completion was sampled. */
export interface SampledWith extends SamplingFilters {
  readonly temperature: number
}

export interface Draw {
  readonly token: number
  /** Under the distribution that was drawn from, renormalised over the tokens that the filters kept. NaN if a logit is NaN, or the largest is infinite. */
  readonly logprob: number
}

/** Way to draw a token: the likeliest, by the graph; by a race of all tokens, or of a nucleus if top-p is the only filter; or `drawFiltered`. */
export function drawnBy(sampling: SampledWith): 'likeliest' | 'race' | 'filters' {
  const { temperature, topK, minP, repetitionPenalty } = sampling
  if (topK !== undefined || minP !== undefined || repetitionPenalty !== undefined) return 'filters'
  return temperature === 0 ? 'likeliest' : 'race'
}

/**
 * Draws a token by a race of those that the filters keep. The penalty comes first, then temperature, top-k, top-p and min-p; each of the last
 * three filters what the previous one kept.
 *
 * @param logits - [V].
 * @param options.temperature - 0 takes the most likely token after the penalty, and gives the probability that the model itself
 *   has for it at temperature 1.
 * @param seen - tokens of the prompt and the completion so far.
 */
export function drawFiltered(
  logits: Float32Array,
  options: SamplingFilters & { readonly temperature: number },
  seen: readonly number[],
  race: Race,
): Draw {
  const { temperature, topK, topP, minP } = options
  const scaled = penalized(logits, seen, options.repetitionPenalty ?? 1)
  if (temperature === 0) return mostLikelyOf(logits, scaled)
  const inverse = 1 / temperature
  let most = Number.NEGATIVE_INFINITY
  for (const x of scaled) most = Math.max(most, x) // NaN if one is
  if (!Number.isFinite(most)) return { token: 0, logprob: Number.NaN }
  const odds = scaled // relative to the most likely token
  for (let i = 0; i < odds.length; i++) odds[i] = Math.exp(((odds[i] as number) - most) * inverse)
  let kept = mostLikely(odds, topK ?? odds.length, topP ?? 1)
  if (minP !== undefined) kept = kept.filter(token => (odds[token] as number) >= minP)
  const total = kept.reduce((sum, token) => sum + (odds[token] as number), 0)
  let [chosen, soonest] = [kept[0] as number, Number.POSITIVE_INFINITY]
  for (const token of kept) {
    const at = race.time(token) / (odds[token] as number)
    if (at < soonest) [chosen, soonest] = [token, at]
  }
  return { token: chosen, logprob: Math.log((odds[chosen] as number) / total) }
}

function mostLikelyOf(logits: Float32Array, scaled: Float64Array): Draw {
  let [token, most] = [0, Number.NEGATIVE_INFINITY]
  for (let i = 0; i < logits.length; i++) {
    if ((scaled[i] as number) > (scaled[token] as number)) token = i
    most = Math.max(most, logits[i] as number)
  }
  let total = 0
  for (const x of logits) total += Math.exp(x - most)
  return { token, logprob: (logits[token] as number) - most - Math.log(total) }
}

function penalized(logits: Float32Array, seen: readonly number[], penalty: number): Float64Array {
  const scaled = Float64Array.from(logits)
  if (penalty === 1) return scaled
  for (const token of new Set(seen)) {
    const x = scaled[token] as number
    scaled[token] = x > 0 ? x / penalty : x * penalty
  }
  return scaled
}

/** The first search takes tokens down to this share of the best one's probability. Each further search goes down by the same factor. */
const REACH = 1e-4

/** Below this, a search takes all tokens. Not subnormal: once ONNX Runtime has run, its threads and this one treat such numbers as 0. */
const LEAST_FLOOR = 1e-300

/** The `count` most likely tokens, of those the first that reach the share `topP`: most likely first, equal ones by number. */
function mostLikely(odds: Float64Array, count: number, topP: number): number[] {
  let total = 0
  for (const x of odds) total += x
  for (let floor = REACH; ; floor *= REACH) {
    const all = floor < LEAST_FLOOR
    const candidates: number[] = []
    for (let token = 0; token < odds.length; token++)
      if (all || (odds[token] as number) >= floor) candidates.push(token)
    candidates.sort((a, b) => (odds[b] as number) - (odds[a] as number) || a - b)
    const enough = candidates.length >= Math.min(count, odds.length)
    const kept = candidates.slice(0, count)
    // Top-p counts the probability of the tokens that top-k kept.
    const whole = enough && count < odds.length ? kept.reduce((sum, token) => sum + (odds[token] as number), 0) : total
    if (topP >= 1) {
      if (enough || all) return kept
      continue
    }
    let running = 0
    for (const [i, token] of kept.entries()) {
      running += odds[token] as number
      if (running >= topP * whole && (enough || count >= odds.length)) return kept.slice(0, i + 1)
    }
    if (all) return kept
  }
}
