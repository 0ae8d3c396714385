import { base58btc } from 'multiformats/bases/base58'
import { keccak256, stringToHex } from 'viem'
import { contractNames, eachContract } from '../../../deployments/contractNames.ts'
import type { Deployment } from '../../../deployments/record.ts'
import { contractsOf } from '../../../node/src/chain/contracts.ts'
import type { Hex } from '../../../node/src/core/hex.ts'
import type { Logger } from '../../../node/src/core/logger.ts'
import { peerKeyOf } from '../../../node/src/core/peers/peerKey.ts'
import { auditSwarm, type Swarm, type SwarmAudit } from './auditSwarm.ts'
import { simulatedEnvironment } from './cheapModels.ts'
import { addressOf, Medium } from './medium.ts'
import { SimulatedChain } from './simulatedChain.ts'
import { CHAIN_ID } from './simulatedEndpoint.ts'
import { type Conduct, type Member, SimulatedPeer, type World } from './simulatedPeer.ts'
import { EPOCH_MS, inSimulatedTime, type SimulatedTime } from './simulatedTime.ts'
import type { Settled } from './swarmContracts.ts'

/** Peers that score, of a hundred. */
const EVALUATORS_SHARE = 0.15
export const ROUND_SEC = 60
const BLOCK_SEC = 2
/** Between the starts of two peers. */
export const START_EVERY_MS = 100
/** Before round 0. */
const START_SEC = 60

export type SwarmOptions = {
  seed: string
  peers: number
  /** Rounds that are settled. */
  rounds: number
  /** Length of a round, and time between blocks. */
  roundSec?: number
  blockSec?: number
  /** Dishonest conduct of each peer, by its number. */
  conduct?: (number: number, member: Member, medium: Medium) => Conduct | null
  /** First round that the chain binds to other rules than the peers have. */
  otherRulesFrom?: number
  /** Makes what goes wrong. */
  faults?: (swarm: Swarm) => void
  /** Whether it is audited after its last round. */
  audited?: boolean
  logger?: Logger
}

export type SwarmResult = {
  /** All that was settled, by round and peer. */
  settled: readonly Settled[]
  /** Peers that committed, by round and peer key. */
  hostile: ReadonlySet<Hex>
  solvers: readonly Hex[]
  /** Peers that somebody called false, and whether they were. */
  challenged: readonly { round: number; peerKey: Hex; isFalse: boolean }[]
  /** Result of an audit of all rounds; null if there was none. */
  audit: SwarmAudit | null
  /** Errors of roles that ended by themselves. */
  failures: readonly { peerId: string; error: unknown }[]
  /** Messages of gossip that each peer was sent. */
  handled: readonly number[]
  calls: number
  signatures: number
  /** Blocks that were taken back. */
  reorganised: number
  events: number
  /** Hash of all that happened on the chain: two runs of one seed have the same. */
  trace: Hex
}

/** A base58 id as of a secp256k1 key, of which there is none. */
export const peerIdOf = (number: number) =>
  base58btc.baseEncode(Buffer.from(`00250802122103${hashOf(`peer ${number}`).slice(2)}`, 'hex'))

/** As of an RSA key, which some peers have. */
const rsaPeerIdOf = (number: number) =>
  base58btc.baseEncode(Buffer.from(`1220${hashOf(`peer ${number}`).slice(2)}`, 'hex'))
const RSA_EVERY = 10

const hashOf = (text: string) => keccak256(stringToHex(text))

/** Plays a swarm from a seed until its last round is settled. */
export function simulateSwarm(options: SwarmOptions): Promise<SwarmResult> {
  return inSimulatedTime(options.seed, async time => {
    const swarm = found(options, time)
    for (const [at, peer] of swarm.peers.entries()) time.after(at * START_EVERY_MS, () => peer.start())
    options.faults?.(swarm)

    await time.runUntil(EPOCH_MS + (START_SEC + (options.rounds + 4) * (options.roundSec ?? ROUND_SEC)) * 1000 - 1_000)
    const result = resultOf(swarm)
    const audit = options.audited ? await auditSwarm(swarm, options.rounds) : null
    await end(swarm)
    return { ...result, audit }
  })
}

function found(options: SwarmOptions, time: SimulatedTime): Swarm {
  const { seed, peers: count, roundSec = ROUND_SEC, blockSec = BLOCK_SEC, conduct, logger } = options
  const { otherRulesFrom = Number.POSITIVE_INFINITY } = options
  const evaluators = Math.max(5, Math.round(count * EVALUATORS_SHARE))
  const members = Array.from({ length: count }, (_, at): Member => {
    const peerId = at % RSA_EVERY === 1 ? rsaPeerIdOf(at) : peerIdOf(at)
    const account = hashOf(`account ${seed} ${at}`).slice(0, 42) as Hex
    const role = at < evaluators ? 'evaluator' : 'solver'
    return {
      peerId,
      peerKey: peerKeyOf(peerId),
      account,
      accountKey: hashOf(`key ${at}`),
      address: addressOf(at, peerId),
      role,
    }
  })
  const address = (name: string) => hashOf(name).slice(0, 42) as Hex
  const contracts = eachContract(name => ({ address: address(name), startBlock: 0 }))
  const deployment: Deployment = { network: 'simulated', chainId: CHAIN_ID, contracts }
  const chain = new SimulatedChain(
    {
      place: { chainId: CHAIN_ID, rewardVotes: address(contractNames[5]) },
      members: new Map(members.map(({ peerKey, account: owner }) => [peerKey, owner])),
      peerIds: new Map(members.map(({ peerKey, peerId }) => [peerKey, peerId])),
      seats: members.filter(({ role }) => role === 'evaluator').map(({ peerKey }) => peerKey),
      startsAtSec: EPOCH_MS / 1000 + START_SEC,
      ...{ roundSec, blockSec },
      environmentOf: round => (round < otherRulesFrom ? simulatedEnvironment.hash : hashOf('other rules')),
    },
    contractsOf(deployment),
    seed,
    time,
  )
  const medium = new Medium(time, { latencyMs: [20, 150], loss: 0.01 })
  const bootnodes = members.slice(0, 2).map(one => one.address)
  const world: World = { chain, medium, deployment, bootnodes, ...(logger && { logger }) }
  const hostile = new Set<Hex>()
  const peers = members.map((member, at) => {
    const bad = conduct?.(at, member, medium) ?? null
    if (bad !== null) hostile.add(member.peerKey)
    return new SimulatedPeer(world, member, 1 + (at % 2), bad ?? {})
  })
  return { deployment, time, chain, medium, peers, hostile }
}

function resultOf({ time, chain, medium, peers, hostile }: Swarm): Omit<SwarmResult, 'audit'> {
  const { logs, settled, challenged } = chain.contracts
  const said = logs.map(
    ({ blockNumber, eventName, args }) => `${blockNumber} ${eventName} ${Object.values(args).join()}`,
  )
  return {
    ...{ settled: [...settled.values()], hostile, challenged: [...challenged], signatures: chain.signatures },
    reorganised: chain.reorganised,
    solvers: peers.filter(({ member }) => member.role === 'solver').map(({ member }) => member.peerKey),
    failures: peers.flatMap(({ member, failure }) =>
      failure === null ? [] : [{ peerId: member.peerId, error: failure }],
    ),
    handled: peers.map(({ member }) => medium.handled.get(member.peerId) ?? 0),
    calls: peers.reduce((sum, { endpoints }) => sum + endpoints.reduce((all, { calls }) => all + calls, 0), 0),
    events: time.events(),
    trace: hashOf(`${said.join('\n')} ${time.events()}`),
  }
}

async function end({ time, peers }: Swarm): Promise<void> {
  const ended = Promise.all(peers.map(peer => peer.crash()))
  await time.runUntil(time.nowMs() + 60_000)
  await ended
}
