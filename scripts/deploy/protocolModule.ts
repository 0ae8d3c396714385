import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'
import type { NamedArtifactContractDeploymentFuture } from '@nomicfoundation/ignition-core'
import { keccak256, stringToBytes, zeroHash } from 'viem'
import { contractNames } from '../../deployments/contractNames.ts'
import { constructorArguments, type Made, stakesWiring } from './constructorArguments.ts'
import type { NetworkPreset } from './networks.ts'
import type { DeployParameters } from './parameters.ts'

/** Hands the rounds of a manual schedule to the coordinator. */
const HAND_OVER_ROUNDS = 'HandOverRounds'
/** Hands the say in who admits evaluators to the timelock. */
const HAND_OVER_SEATS = 'HandOverSeats'
/** Gives the role itself to the timelock as well, so that the deployer can renounce it once the first evaluators are admitted. */
const SHARE_SEATS = 'ShareSeats'
const LEAVE_SEATS = 'LeaveSeats'

/** Tells the contract of stakes its token and its slashers: possible once, and only for its deployer. */
const WIRE_STAKES = 'WireStakes'

/** Binds `PrgMarket`, the facade for RL Swarm's clients, to its market. */
const BIND_MARKET = 'BindMarket'

/** Ids of the calls that follow the contracts' creation: without them a deployment is not finished. */
export function callsOf({ roundSeconds }: Pick<DeployParameters, 'roundSeconds'>): readonly string[] {
  const handOver = roundSeconds === 0 ? [HAND_OVER_ROUNDS] : [HAND_OVER_SEATS, SHARE_SEATS, LEAVE_SEATS]
  return [WIRE_STAKES, BIND_MARKET, ...handOver]
}

/**
 * The contracts, wired by constructor immutables.
 *
 * Powers that could move points wait in the timelock, whose proposer and executor is the deployer: over the schedule, the environment,
 * upgrades, and the role that admits evaluators.
 * Under a manual schedule, which only a test network has, the deployer keeps the clock, and the coordinator moves it.
 *
 * @param preset - the network's.
 */
export function protocolModule(
  parameters: DeployParameters,
  { timelockSeconds, blockSeconds }: Pick<NetworkPreset, 'timelockSeconds' | 'blockSeconds'>,
) {
  const isManual = parameters.roundSeconds === 0
  return buildModule('Protocol', m => {
    const deployer = m.getAccount(0)
    const terms = { ...parameters, timelockSeconds, blockSeconds, deployer, ...(isManual ? { keeper: deployer } : {}) }
    const made = {} as Made<NamedArtifactContractDeploymentFuture<string>>
    for (const name of contractNames) {
      const args = constructorArguments[name](made, terms)
      if (name !== 'SwarmCoordinator') made[name] = m.contract(name, args)
      else {
        const code = m.contract(name, args, { id: 'SwarmCoordinatorCode' })
        const initialize = m.encodeFunctionCall(code, 'initialize', [isManual ? deployer : made.TimelockController])
        made[name] = m.contract('ERC1967Proxy', [code, initialize], { id: name })
      }
    }
    const { TimelockController, Rounds, RewardVotes, SwarmCoordinator } = made
    m.call(made.Stakes, 'wire', stakesWiring(made), { id: WIRE_STAKES })
    const bound = m.call(made.PrgMarket, 'bindMarket', [made.PredictionMarket], { id: BIND_MARKET })
    if (isManual) {
      const role = keccak256(stringToBytes('ROUND_MANAGER_ROLE'))
      m.call(Rounds, 'grantRole', [role, SwarmCoordinator], { id: HAND_OVER_ROUNDS, after: [bound] })
    } else {
      // The default admin's role is the zero word.
      const granted = m.call(RewardVotes, 'grantRole', [zeroHash, TimelockController], { id: HAND_OVER_SEATS })
      const role = keccak256(stringToBytes('EVALUATOR_ADMIN_ROLE'))
      const shared = m.call(RewardVotes, 'grantRole', [role, TimelockController], { id: SHARE_SEATS })
      m.call(RewardVotes, 'renounceRole', [zeroHash, deployer], { id: LEAVE_SEATS, after: [granted, shared] })
    }
    return made
  })
}
