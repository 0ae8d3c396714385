import { concatHex, encodeAbiParameters, type Hex, keccak256, numberToHex, zeroHash } from 'viem'
import { philox4x32, streamKey } from '../../../node/model/src/base/random.ts'
import { drawCommittee, sampledLeaves } from '../../../node/src/roles/draws/drawCommittee.ts'
import { drawIndices } from '../../../node/src/roles/draws/drawIndices.ts'
import { drawAmong, openingSeed, placeOf } from '../../../node/src/roles/draws/drawOpening.ts'
import { roundSeed, type SeedPurpose } from '../../../node/src/roles/draws/roundSeed.ts'

/** The part of the environment's specification that the game needs. */
export const SPEC = { tasksPerRound: 4, groupSize: 2, owedLeaves: 8, sampledLeaves: 4 }

/** Seats of a first and of a second jury. */
const JURY_SIZES = [11, 23] as const

/** Purposes of random numbers of the world. */
const PURPOSES = ['ability', 'luck', 'noise', 'absence', 'easiness', 'check', 'choice'] as const

/**
 * All that follows from a run's seed: beacons, draws by the node's own code, and the chance of the world. The same for every way to
 * play, and computed once.
 */
export class Facts {
  readonly chainId: number
  readonly seed: number
  /** Rounds of chain time before round 0. */
  private readonly base: number
  private readonly key: readonly [number, number]
  private readonly known = new Map<string, unknown>()

  constructor(chainId: number, seed: number, base: number) {
    this.chainId = chainId
    this.seed = seed
    this.base = base
    this.key = streamKey('simulated world', String(seed))
  }

  /** The beacon of a round, as `chooseHistory` has the chain's blocks hash. */
  beacon(round: number): Hex {
    return this.once(`beacon ${round}`, () =>
      keccak256(
        concatHex([numberToHex(this.base + round + 1, { size: 32 }), numberToHex(this.seed + 1, { size: 32 })]),
      ),
    )
  }

  /** The beacon that the work of a round follows from. */
  before(round: number): Hex {
    return round === 0 ? zeroHash : this.beacon(round - 1)
  }

  rolloutSeed(round: number, key: Hex): Hex {
    return this.once(`seed ${round} ${key}`, () => roundSeed('rollout', this.chainId, round, this.before(round), key))
  }

  committee(round: number, shard: number, seats: readonly Hex[]): readonly Hex[] {
    return this.once(`committee ${round} ${shard} ${seats.join()}`, () =>
      drawCommittee(this.chainId, round, this.beacon(round), shard, seats),
    )
  }

  sampled(round: number, key: Hex): readonly number[] {
    return this.once(`sampled ${round} ${key}`, () => sampledLeaves(this.chainId, round, this.beacon(round), key, SPEC))
  }

  /** The scored leaf that is checked against the policy. */
  checked(round: number, key: Hex): number {
    return this.once(`checked ${round} ${key}`, () => {
      const seed = roundSeed('proof', this.chainId, round, this.beacon(round), key)
      return this.sampled(round, key)[drawIndices(SPEC.sampledLeaves, 1, seed)[0] ?? 0] ?? 0
    })
  }

  /** The peer with points that a shard opens. */
  opening(round: number, shard: number, scored: ReadonlySet<number>): { at: number; place: bigint } {
    const seed = this.once(`opening ${round} ${shard}`, () =>
      openingSeed(this.chainId, round, this.beacon(round + 2), shard),
    )
    return { at: drawAmong(scored, seed), place: placeOf(seed) }
  }

  /** The seats of a jury, by position. */
  jury(round: number, peerKey: Hex, level: number, openedRound: number, seats: readonly Hex[]): readonly Hex[] {
    const most = JURY_SIZES[level - 1] ?? 0
    if (seats.length <= most) return seats
    return this.once(`jury ${round} ${peerKey} ${level} ${openedRound} ${seats.join()}`, () => {
      const caseKey = keccak256(
        encodeAbiParameters([{ type: 'uint64' }, { type: 'bytes32' }], [BigInt(round), peerKey]),
      )
      const subject = keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint8' }], [caseKey, level]))
      const seed = roundSeed('appeal' as SeedPurpose, this.chainId, openedRound, this.beacon(openedRound), subject)
      return drawIndices(seats.length, most, seed).map(seat => seats[seat] as Hex)
    })
  }

  /** A uniform number in (0, 1), by purpose. */
  uniform(purpose: (typeof PURPOSES)[number], a: number, b = 0, c = 0): number {
    const [high, low] = this.words(purpose, a, b, c)
    return ((high >>> 5) * 2 ** 26 + (low >>> 6) + 0.5) * 2 ** -53
  }

  normal(purpose: (typeof PURPOSES)[number], a: number, b = 0, c = 0): number {
    const [x, y] = this.words(purpose, a, b, c)
    return Math.sqrt(-2 * Math.log((x + 0.5) * 2 ** -32)) * Math.cos(2 * Math.PI * y * 2 ** -32)
  }

  private words(purpose: (typeof PURPOSES)[number], a: number, b: number, c: number) {
    return philox4x32([PURPOSES.indexOf(purpose), a, b, c], this.key)
  }

  /** Values that are the same for every way to play. */
  once<T>(name: string, compute: () => T): T {
    const known = this.known.get(name)
    if (known !== undefined) return known as T
    const made = compute()
    this.known.set(name, made)
    return made
  }
}
