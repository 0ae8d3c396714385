import { ALL_DEFENCES, type Defences, type Setting } from './defences.ts'
import { deviating, type Strategy } from './strategy.ts'

/** An attack that worked on the first version of the protocol. */
export interface NamedAttack {
  readonly name: string
  readonly strategy: Strategy
  /** The defence that stops it. */
  readonly defence: string
  readonly without: Partial<Defences>
  /** Rounds of work in which reveals are impossible. */
  readonly outages?: readonly number[]
  /** Rounds of work in a run, if the attack needs more than the default. */
  readonly rounds?: number
  /** Baseline, if it is not honest play: such an attack costs others more than itself. */
  readonly against?: Strategy
}

const GARBAGE = { cheatShare: 1, cheat: 'junk', served: 0 } as const

export const namedAttacks: readonly NamedAttack[] = [
  {
    name: 'late tasks',
    strategy: deviating({ proposes: 'late', appealsOwn: 1, appealsRivals: 1 }),
    defence: 'tasks are chain data, settled when their round begins',
    without: { tasksOnChain: false },
  },
  {
    name: 'copied answers',
    strategy: deviating({ cheatShare: 1, cheat: 'copied' }),
    defence: 'answers are sealed until their round ends, and sampling is checked',
    without: { sealedAnswers: false, samplingChecked: false },
  },
  {
    name: 'best of n',
    strategy: deviating({ cheatShare: 1, cheat: 'best', tries: 2 }),
    defence: 'sampling is checked',
    without: { samplingChecked: false, scoresAveraged: false },
  },
  {
    name: 'one answer under many keys',
    strategy: deviating({ cheatShare: 0.5, cheat: 'copied' }),
    defence: 'sampling is checked, and answers are sealed',
    without: { sealedAnswers: false, samplingChecked: false },
  },
  {
    name: 'ground keys',
    strategy: deviating({ groundKeys: 16 }),
    defence: 'a key counts from the second round after its registration, and has no scores before',
    without: { keysWait: false, scoresAveraged: false },
  },
  {
    name: 'foreseen outage',
    strategy: deviating({ foreseesOutages: true }),
    defence: 'an outage blames nobody',
    without: { outagesForgiven: false },
    outages: [2],
  },
  {
    name: 'garbage appeals',
    strategy: deviating({ ...GARBAGE, appealsOwn: 1 }),
    against: deviating(GARBAGE),
    defence: 'an appeal pays its seats, whatever they find',
    without: { appealsPaySeats: false },
  },
  {
    name: 'hidden zeros',
    strategy: deviating({ spareKeys: 2, hidesZeros: true }),
    defence: 'an appealed `unavailable` counts by the share of its votes that are scores, and not by one alone',
    without: { heldByShare: false, nothingTaken: false },
    rounds: 12,
  },
  {
    name: 'foreseen proposals',
    strategy: deviating({ proposes: 'foreseen' }),
    defence: 'a proposer’s seed comes from a secret',
    without: { secretSeeds: false, scoresAveraged: false },
  },
]

/** The world of an attack, with its defence or without. */
export function settingOf({ without, outages = [] }: NamedAttack, isDefended: boolean): Setting {
  return { defences: isDefended ? ALL_DEFENCES : { ...ALL_DEFENCES, ...without }, outages }
}
