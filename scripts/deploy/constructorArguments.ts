import { parseEther, parseGwei, zeroAddress } from 'viem'
import type { ContractName } from '../../deployments/contractNames.ts'

/** Minimum gas price assumed for showing a demanded leaf; twice the base fee counts if that is higher. */
const MIN_GAS_PRICE_WEI = parseGwei('0.1')

/** The bond of a first appeal: half of it is what eleven seats are paid for two calls each, should it be lost. */
export const FIRST_BOND_WEI = parseEther('0.01')

/** Blocks for each step of a dispute: the draw's seed, the draw, and votes that see it, with as many to spare. */
const DISPUTE_BLOCKS = 12

/** Parameters of a deployment. */
export interface Terms<Account> {
  readonly deployer: Account
  /** Holder of the roles over points; by default the timelock. */
  readonly keeper?: Account
  readonly timelockSeconds: number
  readonly startsAtSec: number
  readonly roundSeconds: number
  /** Block time of the network. */
  readonly blockSeconds: number
  readonly environmentHash: string
  readonly bootstrapRounds: number
}

/** The contracts made so far, as addresses or what will be one; each needs only earlier ones. */
export type Made<Ref> = Record<ContractName, Ref>

type Argument<Ref> = Ref | string | number | bigint | Ref[]
type ArgumentsOf = <Ref, Account>(made: Made<Ref>, terms: Terms<Account>) => Argument<Ref | Account>[]

/** Wiring of the contracts, in the order of their names: by immutables, except for stakes and `PrgMarket`. */
export const constructorArguments: Record<ContractName, ArgumentsOf> = {
  TimelockController: (_, { timelockSeconds, deployer }) => [timelockSeconds, [deployer], [deployer], zeroAddress],
  Rounds: ({ TimelockController }, { keeper = TimelockController, startsAtSec, roundSeconds, environmentHash }) => [
    keeper,
    startsAtSec,
    roundSeconds,
    environmentHash,
  ],
  PeerRegistry: ({ Rounds }, { deployer }) => [deployer, Rounds],
  Stakes: ({ PeerRegistry, Rounds }, { bootstrapRounds }) => [PeerRegistry, Rounds, bootstrapRounds],
  RolloutCommitments: ({ PeerRegistry, Rounds, Stakes }) => [PeerRegistry, Rounds, Stakes],
  RewardVotes: ({ PeerRegistry, Rounds, RolloutCommitments, Stakes }, { deployer }) => [
    deployer,
    PeerRegistry,
    Rounds,
    RolloutCommitments,
    Stakes,
  ],
  Challenges: ({ RewardVotes }) => [RewardVotes, MIN_GAS_PRICE_WEI, FIRST_BOND_WEI],
  Openings: ({ RewardVotes }) => [RewardVotes],
  Nectar: ({ PeerRegistry, RewardVotes, Openings }) => [PeerRegistry, RewardVotes, Openings],
  // Arguments of its code, which is behind a proxy.
  SwarmCoordinator: ({ PeerRegistry, Rounds }) => [PeerRegistry, Rounds],
  PrgMarket: ({ SwarmCoordinator }, { deployer }) => [SwarmCoordinator, deployer],
  PredictionMarket: ({ Nectar, RewardVotes, Rounds, PeerRegistry, PrgMarket }, { roundSeconds, blockSeconds }) => [
    Nectar,
    RewardVotes,
    Rounds,
    PeerRegistry,
    PrgMarket,
    // A seat's node acts at least once a round.
    Math.max(roundSeconds, DISPUTE_BLOCKS * blockSeconds),
  ],
}

/** Arguments of the one-time call by the deployer that sets the token and the slashers of the stakes. */
export function stakesWiring<Ref>({ Nectar, RewardVotes, Challenges, Openings }: Made<Ref>): [Ref, Ref, Ref, Ref] {
  return [Nectar, RewardVotes, Challenges, Openings]
}
