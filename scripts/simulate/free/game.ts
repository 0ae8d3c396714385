import type { AdmittedTask, TaskPlace } from '../../../node/src/roles/draws/drawTasks.ts'
import type { Cast, Member } from './cast.ts'
import type { Setting } from './defences.ts'
import type { Facts } from './facts.ts'
import type { Drawn, Leaf, Ledger, Sealed, Verdict, Work } from './ledgers/ledger.ts'
import type { Strategy } from './strategy.ts'
import type { Proposal } from './world.ts'

/** A leaf with its hidden properties. */
export interface Answer extends Leaf {
  readonly answers: AdmittedTask
  readonly qualityMilli: number
  /** Whether it follows from policy and seed. */
  readonly isSampled: boolean
}

/** A peer's work, and the seats that get it. */
export interface Answers extends Work {
  readonly leaves: readonly Answer[]
  /** Whether a seat gets the bundle. Honest seats are numbered among the members; the coalition's seats always get it. */
  serves(seat: Member, isVoting: boolean): boolean
  readonly shows: boolean
  /** Whether there is no work, and the coalition's seats call it perfect. */
  readonly isHidden: boolean
  /** Whether it serves other bytes than it committed: these are worth nothing, and only the coalition has its leaves. */
  readonly isSwapped: boolean
}

/** A case of an appeal that is open. */
export interface OpenCase {
  readonly work: Answers
  readonly levels: { readonly openedRound: number; readonly by: Member; readonly verdicts: Verdict[]; jury: number }[]
}

/** A running game. */
export interface Game {
  readonly ledger: Ledger
  readonly facts: Facts
  readonly cast: Cast
  readonly setting: Setting
  readonly strategy: Strategy
  readonly proposals: Map<number, Proposal[]>
  /** Texts shown after their round was settled. */
  readonly late: Map<number, Proposal[]>
  readonly works: Map<number, Answers[]>
  readonly ballots: Map<number, Sealed[]>
  /** Leaves that the shards of a round open. */
  readonly drawn: Map<number, ReadonlyMap<number, Drawn>>
  readonly cases: Set<OpenCase>
  readonly demands: { readonly work: Answers; readonly index: number; readonly openedRound: number; isOpen: boolean }[]
  /** Nectar spent on work and gas, by member. */
  readonly spent: Map<Member, number>
}

export function spend({ spent }: Game, member: Member, nectar: number): void {
  spent.set(member, (spent.get(member) ?? 0) + nectar)
}

/** Gas of a call, in steady state: of `contracts/gas-snapshot.json` and, of appeals, verdicts and demands, `bench -- gas`; of openings the mean of a shard’s five; of reveals and challenges about. */
export const GAS = {
  commit: 52_156,
  commitVotes: 48_005,
  reveal: 45_000,
  open: 145_024,
  propose: 107_470,
  register: 132_704,
  appeal: 211_272,
  verdict: 194_092,
  demand: 136_431,
  challenge: 90_000,
} as const

/** Cost of a million units of gas, at 1 gwei and a Nectar of a thousandth of the native coin. */
export const NECTAR_PER_MEGAGAS = 1
export const NECTAR_PER_COIN = 1_000

export function spendGas(game: Game, member: Member, call: keyof typeof GAS): void {
  spend(game, member, (GAS[call] / 1e6) * NECTAR_PER_MEGAGAS)
}

/** Whether something that happens in a share of all cases happens now: the same for every way to play. */
export function happens({ facts }: Game, share: number, member: Member, round: number, salt = 0): boolean {
  return share >= 1 || (share > 0 && facts.uniform('choice', member.number, round, salt) < share)
}

export type Places = readonly TaskPlace[]
