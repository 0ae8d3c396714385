import type { RandomStream } from '../../../node/model/src/base/random.ts'

/** A strategy of the coalition: at which steps it deviates from honest play, and how far. Each field's first value is honest. */
const choices = {
  /** Leaves made, of those owed. */
  leafShare: [1, 0, 0.25, 0.5, 0.75],
  /** Leaves that do not follow from policy and seed, of those made. */
  cheatShare: [0, 0.125, 0.25, 0.5, 1],
  /** Content of those leaves: the best of several samples, a readable answer, or nothing. */
  cheat: ['best', 'copied', 'junk'],
  tries: [2, 3, 4, 8],
  /** Declares the seed that it chose instead of the drawn one. */
  ownSeed: [false, true],
  /** Honest seats that get its answers, as a share. */
  served: [1, 0, 0.25, 0.5, 0.75],
  /** Serves those that it left out once votes are committed. */
  servesLate: [false, true],
  /** Shows leaves that are demanded. */
  shows: [true, false],
  /** Keys tried once the beacon was known. */
  groundKeys: [0, 4, 16],
  /** Keys beyond its machines: each round the luckiest work. */
  spareKeys: [0, 1, 2, 4],
  /** Extra keys that commit to empty work and serve it to no peer. */
  junkKeys: [0, 1, 2, 4],
  /** The same for keys that it holds and does not work with: its seats call the work perfect, and it appeals the `unavailable` of others. */
  hidesZeros: [false, true],
  /** Extra keys that commit to leaves which nobody else has, and serve other bytes: its seats call that perfect. */
  swappedKeys: [0, 1, 2, 4],
  /** Shows a false leaf of theirs once it is appealed, so that the round is lost. */
  escapes: [false, true],
  /** Does not work on tasks that are harder than this, in thousandths above the mean. */
  skipBelowMilli: [-1000, -100, -50, 0, 50],

  /** `late`: shown after settlement. `foreseen`: those that the rival is about to propose. `uneven`: half easy, half hard. */
  proposes: ['fair', 'easy', 'hard', 'uneven', 'unreadable', 'few', 'copied', 'foreseen', 'none', 'late'],

  /** Thousandths added to votes on its own, and taken from those on rivals. */
  up: [0, 2, 5, 10, 24, 50, 100, 300, 1000],
  down: [0, 2, 5, 10, 24, 50, 100, 300, 1000],
  /** When it does so: always, or if it has most of the committee. */
  pushes: ['always', 'majority'],
  /** Changes the leaf scores behind these votes too. */
  pushesLeaves: [false, true],
  /** Calls rivals unavailable. */
  callsUnavailable: [false, true],
  /** Share of peers that it votes on without reading their leaves. */
  lazy: [0, 0.1, 0.5, 1],
  /** Ballots not sealed, and not revealed, as shares. */
  silent: [0, 0.1, 0.5, 1],
  keepsSealed: [0, 0.1, 0.5, 1],
  opens: [true, false],
  /** Seals nothing that it would have to reveal in an outage. */
  foreseesOutages: [false, true],

  /** Appeals of its own scores, and of rivals', as shares. */
  appealsOwn: [0, 0.1, 1],
  appealsRivals: [0, 0.1, 1],
  appealsTwice: [false, true],
  /** Verdicts of its seats in juries: true, equal to its votes, or none. */
  jury: ['honest', 'pushed', 'silent'],
} as const

export type Strategy = { readonly [K in keyof typeof choices]: (typeof choices)[K][number] }

const fields = Object.keys(choices) as (keyof Strategy)[]

export const HONEST = Object.fromEntries(fields.map(field => [field, choices[field][0]])) as Strategy

/** Honest play with some steps changed. */
export function deviating(changes: Partial<Strategy>): Strategy {
  return { ...HONEST, ...changes }
}

/** A strategy that leaves honest play at one to six random fields. */
export function randomStrategy(random: RandomStream): Strategy {
  return mutated(HONEST, random, 1 + random.integer(6))
}

/** The same with some fields drawn again. */
export function mutated(strategy: Strategy, random: RandomStream, count = 1 + random.integer(3)): Strategy {
  const changed: Record<string, unknown> = { ...strategy }
  for (let i = 0; i < count; i++) {
    const field = fields[random.integer(fields.length)] as keyof Strategy
    const values = choices[field]
    changed[field] = values[random.integer(values.length)]
  }
  return changed as Strategy
}

/** Fields that differ from honest play, in words. */
export function describe(strategy: Strategy): string {
  const changed = fields.filter(field => strategy[field] !== HONEST[field])
  return changed.map(field => `${field} ${strategy[field]}`).join(', ') || 'honest'
}
