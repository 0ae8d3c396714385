import type { Hex } from 'viem'

const WHOLE_WEI = { evaluator: 100n * 10n ** 18n, proposer: 50n * 10n ** 18n }
const MAX_MISSES = 6

/** Cost of a fault: thousandths of a full stake, and misses. */
const FAULTS = {
  silent: { milli: 10n, misses: 1 },
  sealed: { milli: 100n, misses: 3 },
  overturned: { milli: 500n, misses: 3 },
} as const

export type Fault = keyof typeof FAULTS

/** Seats and stakes as a simple model: a list, and the rest of each stake. */
export class ModelSeats {
  private readonly list: Hex[]
  /** Seats at the start of each round. */
  private readonly at: (readonly Hex[])[] = []
  private readonly lostWei = new Map<string, bigint>()
  private readonly misses = new Map<Hex, number>()

  constructor(seats: readonly Hex[]) {
    this.list = [...seats]
  }

  enter(round: number): void {
    this.at[round] = [...this.list]
  }

  in(round: number): readonly Hex[] {
    return this.at[round] ?? []
  }

  forgive(key: Hex): void {
    this.misses.set(key, 0)
  }

  /** @returns the slashed amount. */
  blame(key: Hex, fault: Fault): bigint {
    const { milli, misses } = FAULTS[fault]
    const before = this.lost('evaluator', key)
    const leftWei = this.slash('evaluator', key, milli)
    const lostWei = this.lost('evaluator', key) - before
    const place = this.list.indexOf(key)
    if (place < 0) return lostWei
    const missed = (this.misses.get(key) ?? 0) + misses
    this.misses.set(key, missed)
    if (missed < MAX_MISSES && 2n * leftWei >= WHOLE_WEI.evaluator) return lostWei
    // The last seat moves into the gap.
    const last = this.list.pop() as Hex
    if (last !== key) this.list[place] = last
    return lostWei
  }

  /** @returns the rest of the stake. */
  slash(duty: 'evaluator' | 'proposer', key: Hex, milli: bigint): bigint {
    const name = `${duty} ${key}`
    const lostWei = (this.lostWei.get(name) ?? 0n) + (WHOLE_WEI[duty] * milli) / 1000n
    const most = lostWei > WHOLE_WEI[duty] ? WHOLE_WEI[duty] : lostWei
    this.lostWei.set(name, most)
    return WHOLE_WEI[duty] - most
  }

  lost(duty: 'evaluator' | 'proposer', key: Hex): bigint {
    return this.lostWei.get(`${duty} ${key}`) ?? 0n
  }
}
