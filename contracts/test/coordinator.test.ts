import assert from 'node:assert/strict'
import { test } from 'node:test'
import { network } from 'hardhat'
import {
  type Abi,
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseEventLogs,
  stringToBytes,
} from 'viem'
import { swarmCoordinatorAbi } from '../../deployments/abi.ts'
import { type RandomStream, randomStream } from '../../node/model/src/base/random.ts'
import { CoordinatorModel, type Outcome } from './coordinatorModel.ts'

const ROLES = ['OWNER_ROLE', 'STAGE_MANAGER_ROLE', 'BOOTNODE_MANAGER_ROLE'] as const
const PEER_IDS = ['', 'a', 'b', 'QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N', 'ÿ☃', 'x'.repeat(70)]
const REWARDS = [0n, 1n, -1n, 250n, -999n, 2n ** 255n - 1n, -(2n ** 255n), 2n ** 254n]
const CALLS = 220

const roleIds = new Map<Hex, string>(ROLES.map(role => [keccak256(stringToBytes(role)), role]))

/** viem cannot tell the two `submitReward` apart by bigints: one ABI for each. */
const abiWith = (reward: 'int256' | 'uint256') =>
  swarmCoordinatorAbi.filter(
    item => item.type !== 'function' || item.name !== 'submitReward' || item.inputs[2]?.type === reward,
  ) as Abi

type Step = { functionName: string; args: readonly unknown[]; abi: Abi; model: () => readonly (readonly unknown[])[] }

function drawStep(random: RandomStream, model: CoordinatorModel, sender: Address, accounts: readonly Address[]): Step {
  const pick = <T>(values: readonly T[]) => values[random.integer(values.length)] as T
  const strings = () => Array.from({ length: random.integer(4) }, () => pick(PEER_IDS))
  // Mostly rounds and stages that pass, and now and then one that does not.
  const round = BigInt(Math.max(0, Number(model.round) + 1 - random.integer(4)))
  const stage = BigInt(Math.max(0, random.integer(5) - 2))
  const peerId = pick(PEER_IDS)
  const reward = pick(REWARDS)
  const abi = abiWith('int256')
  const step = (functionName: string, args: readonly unknown[], call: Step['model'], over = abi): Step => ({
    functionName,
    args,
    abi: over,
    model: call,
  })
  const kinds: (() => Step)[] = [
    () => step('updateStageAndRound', [], () => model.updateStageAndRound(sender)),
    () => {
      const granted = random.integer(3) > 0
      const [role, account] = [pick(ROLES), pick(accounts)]
      const args = [keccak256(stringToBytes(role)), account]
      return step(granted ? 'grantRole' : 'revokeRole', args, () => model.changeRole(sender, granted, role, account))
    },
    () => {
      const added = strings()
      return step('addBootnodes', [added], () => model.addBootnodes(sender, added))
    },
    () => {
      const index = BigInt(random.integer(4))
      return step('removeBootnode', [index], () => model.removeBootnode(sender, index))
    },
    () => step('clearBootnodes', [], () => model.clearBootnodes(sender)),
  ]
  const busy: (() => Step)[] = [
    () => step('registerPeer', [peerId], () => model.registerPeer(sender, peerId)),
    () => {
      const winners = strings()
      return step('submitWinners', [round, winners, peerId], () => model.submitWinners(sender, round, winners, peerId))
    },
    () => {
      const args = [round, stage, reward, peerId]
      return step('submitReward', args, () => model.submitReward(sender, round, stage, reward, peerId))
    },
    () => {
      const unsigned = BigInt.asUintN(256, reward)
      const args = [round, stage, unsigned, peerId]
      const call = () => model.submitUnsignedReward(sender, round, stage, unsigned, peerId)
      return step('submitReward', args, call, abiWith('uint256'))
    },
  ]
  return pick(random.integer(3) === 0 ? kinds : busy)()
}

/** The coordinator behind its proxy on a fresh chain, over manual rounds. */
async function openCoordinator() {
  const { viem } = await network.create()
  const client = await viem.getPublicClient()
  const wallets = await viem.getWalletClients()
  const accounts = wallets.slice(0, 4).map(({ account }) => account.address.toLowerCase() as Address)
  const [owner] = accounts as [Address]
  const startsAtSec = Number((await client.getBlock()).timestamp)
  const environment = `0x${'e1'.repeat(32)}`
  const rounds = await viem.deployContract('Rounds', [owner, startsAtSec, 0, environment] as never)
  const registry = await viem.deployContract('PeerRegistry', [owner, rounds.address])
  const implementation = await viem.deployContract('SwarmCoordinator', [registry.address, rounds.address] as never)
  const call = encodeFunctionData({ abi: swarmCoordinatorAbi, functionName: 'initialize', args: [owner] })
  const { address } = await viem.deployContract('ERC1967Proxy', [implementation.address, call] as never)
  const role = keccak256(stringToBytes('ROUND_MANAGER_ROLE'))
  await (rounds as unknown as { write: { grantRole(args: readonly unknown[]): Promise<Hex> } }).write.grantRole([
    role,
    address,
  ])
  return { client, wallet: wallets[0] as (typeof wallets)[0], accounts, address }
}

type Opened = Awaited<ReturnType<typeof openCoordinator>>

const plain = (value: unknown): unknown =>
  typeof value === 'string' && value.startsWith('0x') ? (roleIds.get(value as Hex) ?? value.toLowerCase()) : value

async function runOnChain({ client, wallet, address }: Opened, account: Address, step: Step): Promise<Outcome> {
  const call = { address, account, abi: step.abi, functionName: step.functionName, args: step.args }
  try {
    await client.simulateContract(call)
  } catch (error) {
    const revert = error instanceof BaseError && error.walk(cause => cause instanceof ContractFunctionRevertedError)
    if (!(revert instanceof ContractFunctionRevertedError)) throw error
    return { error: revert.data?.errorName ?? revert.reason ?? 'unknown' }
  }
  const hash = await wallet.writeContract({ ...call, gas: 8_000_000n, chain: null })
  const { status, logs } = await client.getTransactionReceipt({ hash })
  assert.equal(status, 'success')
  const own = logs.filter(log => log.address.toLowerCase() === address.toLowerCase())
  const events = parseEventLogs({ abi: swarmCoordinatorAbi, logs: own }).map(({ eventName, args }) => {
    const item = swarmCoordinatorAbi.find(entry => entry.type === 'event' && entry.name === eventName)
    assert(item?.type === 'event')
    return [eventName, ...item.inputs.map(({ name }) => plain((args as Record<string, unknown>)[name]))]
  })
  return { events }
}

async function requireSameViews({ client, address, accounts }: Opened, model: CoordinatorModel): Promise<void> {
  const read = (functionName: string, ...args: readonly unknown[]) =>
    client.readContract({ address, abi: swarmCoordinatorAbi as Abi, functionName, args })
  assert.equal(await read('currentRound'), model.round)
  assert.equal(await read('uniqueVoters'), BigInt(model.voteCounts.size))
  assert.deepEqual(await read('getBootnodes'), model.bootnodes)
  assert.equal(await read('getBootnodesCount'), BigInt(model.bootnodes.length))
  assert.deepEqual(
    await read('getPeerId', accounts),
    accounts.map(account => model.claims.get(account) ?? []),
  )
  const zero = `0x${'0'.repeat(40)}`
  const eoas = (await read('getEoa', PEER_IDS)) as string[]
  assert.deepEqual(
    eoas.map(eoa => eoa.toLowerCase()),
    PEER_IDS.map(peerId => model.owners.get(peerId) ?? zero),
  )
  assert.deepEqual(
    await read('getTotalRewards', PEER_IDS),
    PEER_IDS.map(peerId => model.totals.get(peerId) ?? 0n),
  )
  for (const [id, role] of roleIds) {
    for (const account of accounts) {
      assert.equal(await read('hasRole', id, account), model.roles.has(`${role}/${account}`))
    }
  }
  for (const peerId of PEER_IDS) {
    assert.equal(await read('getTotalWins', peerId), model.wins.get(peerId) ?? 0n)
    assert.equal(await read('getVoterVoteCount', peerId), model.voteCounts.get(peerId) ?? 0n)
    for (let round = 0n; round <= model.round; round++) {
      assert.deepEqual(await read('getVoterVotes', round, peerId), model.votes.get(`${round}/${peerId}`) ?? [])
      for (const stage of [0n, 1n]) {
        const key = `${round}/${stage}/${peerId}`
        assert.equal(await read('hasSubmittedRoundStageReward', round, stage, peerId), model.submitted.has(key))
      }
    }
  }
  for (let round = 0n; round <= model.round; round++) {
    for (const stage of [0n, 1n]) {
      const expected = accounts.map(account => model.accountRewards.get(`${round}/${stage}/${account}`) ?? 0n)
      assert.deepEqual(await read('getRoundStageReward', round, stage, accounts), expected)
    }
  }
}

for (const seed of ['one', 'two', 'three']) {
  test(`${CALLS} random calls are answered as by RL Swarm's contract 0.6.0, seed ${seed}`, async () => {
    const opened = await openCoordinator()
    const model = new CoordinatorModel(opened.accounts[0] as Address)
    const random = randomStream('coordinator', seed)
    const seen = new Set<string>()
    for (let i = 0; i < CALLS; i++) {
      const sender = opened.accounts[random.integer(opened.accounts.length)] as Address
      const step = drawStep(random, model, sender, opened.accounts)
      const onChain = await runOnChain(opened, sender, step)
      const expected = model.run(step.model)
      assert.deepEqual(onChain, expected, `call ${i}: ${step.functionName}(${step.args.join(', ')}) from ${sender}`)
      seen.add('error' in expected ? expected.error : step.functionName)
    }
    await requireSameViews(opened, model)
    // The comparison says little unless most refusals and all functions were met.
    assert(seen.size >= 15, `only ${[...seen].join(', ')}`)
  })
}
