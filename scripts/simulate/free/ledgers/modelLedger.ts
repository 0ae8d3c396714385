import { type Hex, parseEther } from 'viem'
import {
  isGone,
  isTakable,
  type ModelAppeal,
  type ModelCase,
  type ModelRuling,
  type ModelSeat,
  rule,
} from '../../../../contracts/test/challenges/appealModel.ts'
import { allOf, type Cast, type Member } from '../cast.ts'
import type { Defences } from '../defences.ts'
import type { Facts } from '../facts.ts'
import { CASE, type Drawn, type Leaf, type Ledger, type Sealed, type Verdict, type Work } from './ledger.ts'
import { ModelRounds } from './modelRounds.ts'
import { type Fault, ModelSeats } from './modelSeats.ts'

const FIRST_BOND_WEI = parseEther('0.01')
const SECRET_FAULT_MILLI = 10n

interface OpenCase {
  readonly found: Omit<ModelCase, 'appeals'>
  readonly levels: { appellant: Hex; bondWei: bigint; openedRound: number; seats: readonly Hex[]; given: Given[] }[]
  isClosed: boolean
}

interface Given {
  readonly verdict: Verdict
  isRevealed: boolean
}

/**
 * The mechanism in plain integers, over the models that `contracts/test` holds the contracts to. Nothing costs a transaction here, so
 * that thousands of strategies can be tried.
 */
export class ModelLedger implements Ledger {
  readonly chainId: number
  private now = 0
  private readonly facts: Facts
  private readonly defences: Defences
  private readonly seats: ModelSeats
  private readonly rounds: ModelRounds
  private readonly accounts: ReadonlyMap<Hex, Hex>
  private readonly secrets = new Set<string>()
  private readonly proposals = new Map<string, number>()
  private readonly shown = new Set<string>()
  private readonly cases = new Map<string, OpenCase>()
  private readonly demands = new Map<string, { round: number; isOpen: boolean }>()
  private readonly bonds = new Map<Hex, bigint>()
  private readonly compensated = new Map<Hex, bigint>()

  constructor(facts: Facts, cast: Cast, defences: Defences) {
    this.chainId = facts.chainId
    this.facts = facts
    this.defences = defences
    this.accounts = new Map(allOf(cast).map(({ key, account }) => [key, account]))
    this.seats = new ModelSeats(cast.seats.map(({ key }) => key))
    const accountOf = (key: Hex) => this.accountOf(key)
    this.rounds = new ModelRounds(facts, this.seats, accountOf, defences)
  }

  async enter(round: number): Promise<void> {
    this.now = round
    this.seats.enter(round)
  }

  async seatsAt(round: number): Promise<readonly Hex[]> {
    return this.seats.in(round)
  }

  async commitSecret(round: number, { key }: Member): Promise<boolean> {
    if (round !== this.now + 2) return false
    this.secrets.add(`${round} ${key}`)
    return true
  }

  async propose(round: number, { key }: Member, count: number): Promise<boolean> {
    const name = `${round} ${key}`
    const isDue = round === this.now + 1 || !this.defences.tasksOnChain
    if (!isDue || !this.secrets.has(name) || this.proposals.has(name)) return false
    this.proposals.set(name, count)
    return true
  }

  async challengeSecret(round: number, { key }: Member): Promise<boolean> {
    const name = `${round} ${key}`
    if (!this.secrets.has(name) || this.proposals.has(name) || this.shown.has(name)) return false
    this.shown.add(name)
    this.seats.slash('proposer', key, SECRET_FAULT_MILLI)
    return true
  }

  async commit(work: Work): Promise<boolean> {
    if (work.isFresh && this.defences.keysWait) return false
    this.rounds.of(work.round).works.push(work)
    return true
  }

  seal = async (ballot: Sealed): Promise<boolean> => this.rounds.seal(ballot)
  reveal = async (ballot: Sealed): Promise<boolean> => this.rounds.reveal(ballot)
  settle = async (round: number): Promise<void> => this.rounds.settle(round)

  async outcomeOf(round: number, peerKey: Hex) {
    return this.rounds.of(round).outcomes.get(peerKey) ?? null
  }

  async open(ballot: Sealed, drawn: Drawn, index: number): Promise<boolean> {
    const scored = ballot.scores[drawn.ordinal % 32]?.leaves.find(leaf => leaf.index === index)
    if (index !== drawn.index || scored === undefined) return false
    return this.rounds.open(ballot, drawn, scored.scoreMilli)
  }

  async close(round: number, shard: number, drawn: Drawn): Promise<void> {
    this.rounds.close(round, shard, drawn, key => this.proposals.get(`${round} ${key}`) ?? 0)
  }

  async challengeLeaf({ round, peer }: Work, leaf: Leaf): Promise<boolean> {
    if (leaf.seed === this.facts.rolloutSeed(round, peer.key)) return false
    this.rounds.of(round).outcomes.set(peer.key, { outcome: 'false', scoreMilli: 0 })
    return true
  }

  async demand({ round, peer }: Work, _place: number, index: number): Promise<boolean> {
    const name = `${round} ${peer.key} ${index}`
    if (this.demands.has(name)) return false
    this.demands.set(name, { round: this.now, isOpen: true })
    return true
  }

  async show({ round, peer }: Work, index: number): Promise<boolean> {
    const demand = this.demands.get(`${round} ${peer.key} ${index}`)
    if (!demand?.isOpen) return false
    demand.isOpen = false
    return true
  }

  async closeDemand({ round, peer }: Work, index: number): Promise<boolean> {
    const demand = this.demands.get(`${round} ${peer.key} ${index}`)
    if (!demand?.isOpen || this.now < demand.round + 2) return false
    demand.isOpen = false
    const { outcomes } = this.rounds.of(round)
    if (outcomes.get(peer.key)?.outcome !== 'false') outcomes.set(peer.key, { outcome: 'withheld', scoreMilli: 0 })
    return true
  }

  async appeal(round: number, peerKey: Hex, { account }: Member): Promise<boolean> {
    const name = `${round} ${peerKey}`
    const known = this.cases.get(name)
    const settled = this.rounds.of(round).outcomes.get(peerKey)
    const isOpen = settled !== undefined && settled.outcome !== 'false' && settled.outcome !== 'withheld'
    if (known === undefined ? !isOpen : !this.isAppealable(known)) return false
    const level = (known?.levels.length ?? 0) + 1
    const seats = this.facts.jury(round, peerKey, level, this.now, this.seats.in(this.now))
    const bondWei = FIRST_BOND_WEI << BigInt(level - 1)
    this.pay(account, -bondWei)
    const made = known ?? {
      found: {
        peerAccount: this.accountOf(peerKey),
        settledMilli: settled?.scoreMilli ?? 0,
        committee: this.rounds.votesOn(round, peerKey),
      },
      levels: [],
      isClosed: false,
    }
    if (level === 1) this.rounds.hold(round, peerKey)
    made.levels.push({ appellant: account, bondWei, openedRound: this.now, seats, given: [] })
    this.cases.set(name, made)
    return true
  }

  async sealVerdict(verdict: Verdict): Promise<boolean> {
    const level = this.levelOf(verdict)
    const { account, key } = verdict.seat
    const parties = [this.accountOf(verdict.peerKey), ...this.levelsOf(verdict).map(({ appellant }) => appellant)]
    if (level?.seats[verdict.position] !== key || parties.includes(account)) return false
    level.given.push({ verdict, isRevealed: false })
    return true
  }

  async revealVerdict(verdict: Verdict): Promise<boolean> {
    const given = this.levelOf(verdict)?.given.find(one => one.verdict === verdict)
    if (given === undefined) return false
    given.isRevealed = true
    return true
  }

  async closeCase(round: number, peerKey: Hex): Promise<boolean> {
    const open = this.cases.get(`${round} ${peerKey}`)
    const last = open?.levels.at(-1)
    if (open === undefined || last === undefined || open.isClosed) return false
    if (this.now < last.openedRound + (this.isLast(open) ? CASE.known : CASE.closing)) return false
    open.isClosed = true
    const outcome = this.rounds.of(round).outcomes.get(peerKey)?.outcome
    const isMoot = outcome === 'false' || outcome === 'withheld'
    const found = { ...open.found, appeals: this.appealsOf(open) }
    const ruling = rule(found)
    if (!isMoot) this.rounds.release(round, peerKey, ruling)
    if (this.defences.appealsPaySeats) for (const [account, wei] of ruling.owedWei) this.pay(account as Hex, wei)
    else for (const { appellant, bondWei } of open.levels) this.pay(appellant, bondWei)
    this.blame(found, open, ruling)
    return true
  }

  earnedWei = async (key: Hex): Promise<bigint> => this.rounds.earnedWei(key)
  slashedWei = async (duty: 'evaluator' | 'proposer', key: Hex): Promise<bigint> => this.seats.lost(duty, key)
  compensatedWei = async (account: Hex): Promise<bigint> => this.compensated.get(account) ?? 0n
  bondsWei = async (account: Hex): Promise<bigint> => this.bonds.get(account) ?? 0n

  /** In the order in which the chain is asked to: the committee by its positions, then each jury by its own. */
  private blame({ committee }: ModelCase, { levels }: OpenCase, { blames, upheld }: ModelRuling): void {
    const faultOf = (level: number, key: string) =>
      blames.find(blame => blame.startsWith(`${level} ${key} `))?.split(' ')[2] as Fault | undefined
    let blamed = 0
    for (const { key } of committee) {
      if (faultOf(0, key) === undefined) continue
      const lostWei = this.seats.blame(key as Hex, 'overturned')
      const account = upheld[blamed++ % upheld.length] as Hex
      this.compensated.set(account, (this.compensated.get(account) ?? 0n) + lostWei / 2n)
    }
    for (const [at, { seats, given, openedRound }] of levels.entries()) {
      const votes = given.filter(({ isRevealed }) => isRevealed).length
      const isHeard = votes >= Math.max(2, Math.floor(seats.length / 2) + 1)
      for (const key of seats) {
        const own = given.find(({ verdict }) => verdict.seat.key === key)
        const isForgiven = !isHeard && this.rounds.isOutage(openedRound)
        const fault = own?.isRevealed === false ? (isForgiven ? undefined : 'sealed') : faultOf(at + 1, key)
        if (fault !== undefined) this.seats.blame(key, fault)
      }
    }
  }

  private appealsOf({ levels }: OpenCase): ModelAppeal[] {
    return levels.map(({ appellant, bondWei, seats, given }) => ({
      appellant,
      bondWei,
      jury: seats.map((key): ModelSeat => {
        const own = given.find(({ verdict }) => verdict.seat.key === key)
        const deed = own === undefined ? 'silent' : own.isRevealed ? own.verdict.scoreMilli : 'sealed'
        return { key, account: this.accountOf(key), deed }
      }),
    }))
  }

  private isAppealable(open: OpenCase): boolean {
    return !open.isClosed && !this.isLast(open) && this.now === (open.levels.at(-1)?.openedRound ?? 0) + CASE.known
  }

  /** Whether the newest level's verdict can't be appealed: a second, or of all seats, or that the bundle is gone and nothing changes. */
  private isLast(open: OpenCase): boolean {
    const last = open.levels.at(-1)
    if (last === undefined) return false
    const isOfAll = last.seats.length === this.seats.in(last.openedRound).length
    const isOver = isGone(this.appealsOf(open).at(-1)?.jury ?? []) && !isTakable(open.found)
    return open.levels.length === 2 || isOfAll || isOver
  }

  private levelsOf({ round, peerKey }: Verdict): OpenCase['levels'] {
    return this.cases.get(`${round} ${peerKey}`)?.levels ?? []
  }

  private levelOf(verdict: Verdict) {
    return this.levelsOf(verdict)[verdict.level - 1]
  }

  private accountOf(key: Hex): Hex {
    return this.accounts.get(key) ?? key
  }

  private pay(account: Hex, wei: bigint): void {
    this.bonds.set(account, (this.bonds.get(account) ?? 0n) + wei)
  }
}
