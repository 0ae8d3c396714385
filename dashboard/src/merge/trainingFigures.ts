import type { Training, TrainingStep } from '#sources/getTraining.ts'

export interface FigureSeries {
  name: string
  /** Meaning of the figure, with its unit. */
  hint: string
  /** Oldest first, one a round. */
  points: { round: number; value: number }[]
}

/**
 * Curves of updates; only those that were measured. A solver's KL is of updates on groups of others, the rest of those on its own. A
 * proposer learns from its own candidates alone.
 */
export function trainingFigures({ role, steps }: Pick<Training, 'role' | 'steps'>): FigureSeries[] {
  const learned = steps.filter(({ failure }) => failure === null)
  const series = role === 'proposer' ? proposerFigures(learned) : solverFigures(learned)
  return series.filter(({ points }) => points.length > 0)
}

function proposerFigures(learned: readonly TrainingStep[]): FigureSeries[] {
  return [
    {
      name: 'Learnability',
      hint: 'mean of 4m(1 - m) of its candidates, m being the share of right answers; 0 for those that are invalid',
      points: meansByRound(learned, ({ reward }) => reward),
    },
    {
      name: 'Solved',
      hint: 'share of answers to its tasks that were right',
      points: meansByRound(learned, ({ passAt1 }) => passAt1),
    },
    {
      name: 'Valid',
      hint: 'share of its candidates that became tasks',
      points: meansByRound(learned, ({ validShare }) => validShare),
    },
    { name: 'Loss', hint: 'of updates on its candidates', points: meansByRound(learned, ({ loss }) => loss) },
    { name: 'KL', hint: 'nats a token that an update moved it', points: meansByRound(learned, ({ kl }) => kl) },
    { name: 'Entropy', hint: 'nats a token of what it wrote', points: meansByRound(learned, ({ entropy }) => entropy) },
  ]
}

function solverFigures(learned: readonly TrainingStep[]): FigureSeries[] {
  const own = learned.filter(({ ownGroups }) => ownGroups > 0)
  return [
    { name: 'Reward', hint: 'mean score of its answers', points: meansByRound(own, ({ reward }) => reward) },
    {
      name: 'pass@1',
      hint: 'mean probability that one of its answers is right, by its own judge and not by execution',
      points: meansByRound(own, ({ passAt1 }) => passAt1),
    },
    { name: 'Loss', hint: 'of updates on its own answers', points: meansByRound(own, ({ loss }) => loss) },
    {
      name: 'KL',
      hint: 'nats a token that learning from others moved it',
      points: meansByRound(learned, ({ kl }) => kl),
    },
    { name: 'Entropy', hint: 'nats a token of what it samples', points: meansByRound(own, ({ entropy }) => entropy) },
  ]
}

function meansByRound(steps: readonly TrainingStep[], figureOf: (step: TrainingStep) => number | null) {
  const rounds = new Map<number, number[]>()
  for (const step of steps) {
    const value = figureOf(step)
    if (value !== null) rounds.set(step.round, [...(rounds.get(step.round) ?? []), value])
  }
  return [...rounds]
    .map(([round, values]) => ({ round, value: values.reduce((sum, value) => sum + value, 0) / values.length }))
    .sort((a, b) => a.round - b.round)
}

/** Peers whose groups it learned from, with their number; most first. Several updates of a round are on the same groups. */
export function takenGroups(steps: readonly TrainingStep[]): { peerKey: string; groups: number }[] {
  const taken = new Map<string, Map<number, number>>()
  for (const { peer, round, groups, failure } of steps) {
    if (peer === null || failure !== null) continue
    const byRound = taken.get(peer) ?? new Map<number, number>()
    taken.set(peer, byRound.set(round, Math.max(groups, byRound.get(round) ?? 0)))
  }
  const counted = [...taken].map(([peerKey, byRound]) => ({ peerKey, groups: sum([...byRound.values()], own => own) }))
  return counted.sort((a, b) => b.groups - a.groups)
}

/** A running peer reports once in 30 s. */
const ALIVE_MS = 90_000

/** Release, uptime and amount of learning, in words. */
export function trainingFacts(training: Training, nowMs: number): { title: string; value: string }[] {
  const { model, trained, device, startedAtMs, aliveAtMs, steps } = training
  const [tokens, seconds] = [sum(steps, step => step.tokens), sum(steps, step => step.seconds)]
  const failed = steps.filter(({ failure }) => failure !== null).length
  const isAlive = aliveAtMs !== null && nowMs - aliveAtMs < ALIVE_MS
  const pace = seconds > 0 ? `, ${formatFigure(tokens / seconds)} a second` : ''
  return [
    { title: 'Model', value: `${model ?? 'starter model'}, ${trained === 'adapter' ? 'LoRA adapter' : 'all weights'}` },
    { title: 'Device', value: device },
    { title: 'Uptime', value: isAlive ? duration(nowMs - startedAtMs) : 'not running' },
    { title: 'Updates shown', value: `${steps.length}${failed > 0 ? `, ${failed} failed` : ''}` },
    { title: 'Tokens in them', value: `${formatFigure(tokens)}${pace}` },
  ]
}

const sum = <T>(items: readonly T[], of: (item: T) => number) => items.reduce((total, item) => total + of(item), 0)

/** Three figures are enough to compare; large counts are whole, and what is tiny has an exponent. */
export function formatFigure(value: number): string {
  const size = Math.abs(value)
  if (size >= 1_000) return Math.round(value).toLocaleString('en')
  if (size > 0 && size < 1e-4) return value.toExponential(1)
  return value.toLocaleString('en', { maximumSignificantDigits: 3 })
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** `2 d 3 h`: the largest unit that it fills, and the next. */
function duration(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1_000))
  const first = units.findIndex(([, seconds]) => total >= seconds)
  const shown = units.slice(first === -1 ? units.length - 1 : first).slice(0, 2)
  let left = total
  return shown
    .map(([unit, seconds]) => {
      const count = Math.floor(left / seconds)
      left -= count * seconds
      return `${count} ${unit}`
    })
    .join(' ')
}
