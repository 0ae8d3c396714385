import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'
import { keccak256, parseEther, parseGwei, stringToBytes, zeroAddress, zeroHash } from 'viem'
import type { DeployParameters } from './parameters.ts'

/** Hands the rounds of a manual schedule to the coordinator. */
const HAND_OVER_ROUNDS = 'HandOverRounds'
/** Hands the say in who admits evaluators to the timelock; the deployer keeps the role itself, for the bootstrap. */
const HAND_OVER_SEATS = 'HandOverSeats'
const LEAVE_SEATS = 'LeaveSeats'

/** Tells the contract of stakes its token and its slashers: possible once, by whoever deployed it. */
const WIRE_STAKES = 'WireStakes'

/** What gas costs at least while a demanded leaf may be shown; twice the base fee counts where that is more. */
const MIN_GAS_PRICE_WEI = parseGwei('0.1')

/** The bond of a first appeal: half of it is what eleven seats are paid for two calls each, should it be lost. */
const FIRST_BOND_WEI = parseEther('0.01')

/** Tells the market's face for RL Swarm's clients which market it is of. */
const BIND_MARKET = 'BindMarket'

/** Ids of the calls that follow the contracts' creation: without them a deployment is not finished. */
export function callsOf({ roundSeconds }: Pick<DeployParameters, 'roundSeconds'>): readonly string[] {
  return [WIRE_STAKES, BIND_MARKET, ...(roundSeconds === 0 ? [HAND_OVER_ROUNDS] : [HAND_OVER_SEATS, LEAVE_SEATS])]
}

/**
 * The contracts, wired by constructor immutables.
 *
 * What could move points waits in the timelock, whose proposer and executor is the deployer: schedule, environment, upgrades,
 * and who holds the role that admits evaluators.
 * Under a manual schedule, which only a test network has, the deployer keeps the clock, and the coordinator moves it.
 *
 * @param timelockSeconds - the timelock's delay.
 */
export function protocolModule(parameters: DeployParameters, timelockSeconds: number) {
  const { startsAtSec, roundSeconds, environmentHash, bootstrapRounds } = parameters
  const isManual = roundSeconds === 0
  return buildModule('Protocol', m => {
    const deployer = m.getAccount(0)
    const TimelockController = m.contract('TimelockController', [timelockSeconds, [deployer], [deployer], zeroAddress])
    const keeper = isManual ? deployer : TimelockController
    const PeerRegistry = m.contract('PeerRegistry', [deployer])
    const Rounds = m.contract('Rounds', [keeper, startsAtSec, roundSeconds, environmentHash])
    const Stakes = m.contract('Stakes', [PeerRegistry, Rounds, bootstrapRounds])
    const RolloutCommitments = m.contract('RolloutCommitments', [PeerRegistry, Rounds, Stakes])
    const RewardVotes = m.contract('RewardVotes', [deployer, PeerRegistry, Rounds, RolloutCommitments, Stakes])
    const Challenges = m.contract('Challenges', [RewardVotes, MIN_GAS_PRICE_WEI, FIRST_BOND_WEI])
    const Openings = m.contract('Openings', [RewardVotes])
    const Nectar = m.contract('Nectar', [PeerRegistry, RewardVotes, Openings])
    m.call(Stakes, 'wire', [Nectar, RewardVotes, Challenges, Openings], { id: WIRE_STAKES })
    const implementation = m.contract('SwarmCoordinator', [PeerRegistry, Rounds], { id: 'SwarmCoordinatorCode' })
    const initialize = m.encodeFunctionCall(implementation, 'initialize', [keeper])
    const SwarmCoordinator = m.contract('ERC1967Proxy', [implementation, initialize], { id: 'SwarmCoordinator' })
    const PrgMarket = m.contract('PrgMarket', [SwarmCoordinator, deployer])
    const PredictionMarket = m.contract('PredictionMarket', [Nectar, RewardVotes, Rounds, PeerRegistry, PrgMarket])
    const bound = m.call(PrgMarket, 'bindMarket', [PredictionMarket], { id: BIND_MARKET })
    if (isManual) {
      const role = keccak256(stringToBytes('ROUND_MANAGER_ROLE'))
      m.call(Rounds, 'grantRole', [role, SwarmCoordinator], { id: HAND_OVER_ROUNDS, after: [bound] })
    } else {
      // The default admin's role is the zero word.
      const granted = m.call(RewardVotes, 'grantRole', [zeroHash, TimelockController], { id: HAND_OVER_SEATS })
      m.call(RewardVotes, 'renounceRole', [zeroHash, deployer], { id: LEAVE_SEATS, after: [granted] })
    }
    return {
      TimelockController,
      PeerRegistry,
      Rounds,
      Stakes,
      RolloutCommitments,
      RewardVotes,
      Challenges,
      Openings,
      Nectar,
      SwarmCoordinator,
      PrgMarket,
      PredictionMarket,
    }
  })
}
