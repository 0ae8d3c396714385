import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { createPublicClient, createWalletClient, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { rewardVotesAbi, roundsAbi, swarmCoordinatorAbi, timelockControllerAbi } from '../../deployments/abi.ts'
import { type Deployment, readDeployment } from '../../deployments/record.ts'
import { loadEnvironments } from '../../node/src/environments/builtIn.ts'
import type { DeployErrorCode } from '../../scripts/deploy/deployError.ts'
import type { DeployOptions } from '../../scripts/deploy/deployProtocol.ts'
import { LOCAL_KEY, NETWORKS } from '../../scripts/deploy/networks.ts'
import { DEPLOYMENT_GAS } from '../../scripts/deploy/preflight.ts'
import { CREATIONS, deployOn, freshOptions, refused, TRANSACTIONS, type Wrap } from './deployOn.ts'
import { readPowers } from './readPowers.ts'
import { type Anvil, startAnvil } from './startAnvil.ts'

const DEPLOYER = privateKeyToAddress(LOCAL_KEY)
let anvil: Anvil

before(async () => {
  anvil = await startAnvil(31337)
})

after(() => anvil.stop())

/** Transactions that the chain has taken, mined or not. */
const nonce = async (chain = anvil) => Number(await chain.rpc('eth_getTransactionCount', DEPLOYER, 'pending'))

for (const [network, { chainId }] of Object.entries(NETWORKS)) {
  test(`a deployment to ${network} is wired, recorded, and sends nothing when it is run again`, async () => {
    const chain = await startAnvil(chainId, '--block-time', '0.1')
    try {
      const options = freshOptions({ roundSeconds: 25, environmentHash: `0x${'ab'.repeat(32)}` })
      const first = await deployOn(network, chain.url, options)
      assert.equal(first.sent, TRANSACTIONS)
      const record = readDeployment(options.recordFile)
      assert.deepEqual(record, first.deployment)
      assert.equal(record.network, network)
      assert.equal(record.chainId, chainId)

      const client = createPublicClient({ transport: http(chain.url) })
      const { Rounds, RewardVotes } = record.contracts
      const wiring = await client.readContract({ ...RewardVotes, abi: rewardVotesAbi, functionName: 'rounds' })
      assert.equal(wiring.toLowerCase(), Rounds.address.toLowerCase())
      const rounds = { ...Rounds, abi: roundsAbi, args: [0n] } as const
      assert.equal(await client.readContract({ ...rounds, functionName: 'environmentOf' }), `0x${'ab'.repeat(32)}`)
      const startsAt = await client.readContract({ ...rounds, functionName: 'startOf' })
      assert.equal(await client.readContract({ ...rounds, functionName: 'endOf' }), startsAt + 25n)
      for (const { address, startBlock } of Object.values(record.contracts)) {
        assert(!(await client.getCode({ address, blockNumber: BigInt(startBlock - 1) })))
        assert(await client.getCode({ address, blockNumber: BigInt(startBlock) }))
      }

      const sent = await nonce(chain)
      assert.equal((await deployOn(network, chain.url, options)).sent, 0)
      rmSync(options.recordFile)
      assert.deepEqual(await deployOn(network, chain.url, options), { deployment: record, sent: 0 })
      rmSync(options.journalDir, { recursive: true })
      assert.deepEqual(await deployOn(network, chain.url, options), { deployment: record, sent: 0 })
      assert.equal(await nonce(chain), sent)
    } finally {
      await chain.stop()
    }
  })
}

test('rounds whose rules are not named have those of the starter models, which every node plays', async () => {
  const { deployment } = await deployOn('local', anvil.url, freshOptions())
  const client = createPublicClient({ transport: http(anvil.url) })
  const rounds = { ...deployment.contracts.Rounds, abi: roundsAbi, args: [0n] } as const
  const hash = await client.readContract({ ...rounds, functionName: 'environmentOf' })
  assert.equal(hash, (await loadEnvironments()).starter.hash)
})

/** Fails the n-th transaction, before it reaches the chain or after, as a kill at that moment would. Those before it have arrived. */
function dieAt(count: number, moment: 'before' | 'after'): Wrap {
  const sent: Promise<unknown>[] = []
  return request => async call => {
    if (sent.length > count) throw new Error('killed')
    if (call.method !== 'eth_sendTransaction') return request(call)
    const isLast = sent.length === count
    const sending = isLast && moment === 'before' ? Promise.resolve() : request(call)
    sent.push(sending)
    if (!isLast) return sending
    await Promise.all(sent)
    throw new Error('killed')
  }
}

/** Each kind of step, first and last; every one of them in the long run. */
const deaths =
  process.env.WAGGLE_LONG === undefined
    ? [0, 5, CREATIONS - 1, CREATIONS, TRANSACTIONS - 1]
    : Array.from({ length: TRANSACTIONS }, (_, count) => count)

for (const moment of ['before', 'after'] as const) {
  test(`runs that die ${moment} they send a transaction are finished by the next, with none sent twice`, async () => {
    const options = freshOptions()
    const sentBefore = await nonce()
    const sent = async () => (await nonce()) - sentBefore
    for (const count of deaths) {
      await refused('DEPLOYMENT_FAILED', deployOn('local', anvil.url, options, dieAt(count - (await sent()), moment)))
      assert.equal(await sent(), moment === 'before' ? count : count + 1)
    }
    const { deployment } = await deployOn('local', anvil.url, options)
    assert.equal(await sent(), TRANSACTIONS)
    for (const { address } of Object.values(deployment.contracts)) {
      assert.notEqual(await anvil.rpc('eth_getCode', address, 'latest'), '0x')
    }
  })
}

for (const [type, sent] of [
  ['DEPLOYMENT_INITIALIZE', 0],
  ['TRANSACTION_PREPARE_SEND', CREATIONS],
  ['TRANSACTION_SEND', CREATIONS],
  ['TRANSACTION_CONFIRM', CREATIONS],
] as const) {
  test(`a deployment resumes from a journal that a kill cut within its last ${type}, and sends no transaction twice`, async () => {
    const options = freshOptions()
    const sentBefore = await nonce()
    await refused('DEPLOYMENT_FAILED', deployOn('local', anvil.url, options, dieAt(sent, 'before')))
    const journal = path.join(options.journalDir, 'journal.jsonl')
    const lines = readFileSync(journal, 'utf8').split('\n')
    // A kill truncates the last line only. Of one batch, transactions may have been sent after the last line of that type.
    const last = lines.findLastIndex(
      line => line.includes(`"${type}"`) || (sent > 0 && line.includes('"TRANSACTION_SEND"')),
    )
    writeFileSync(journal, [...lines.slice(0, last), lines[last]?.slice(0, -20)].join('\n'))
    await deployOn('local', anvil.url, options)
    assert.equal(await nonce(), sentBefore + TRANSACTIONS)
  })
}

test('a deployment resumes where a kill left a transaction open that was sent before others which are done', async () => {
  const options = freshOptions()
  const sentBefore = await nonce()
  await refused('DEPLOYMENT_FAILED', deployOn('local', anvil.url, options, dieAt(CREATIONS, 'before')))
  const journal = path.join(options.journalDir, 'journal.jsonl')
  const lines = readFileSync(journal, 'utf8').split('\n')
  const sends = lines.filter(line => line.includes('"TRANSACTION_SEND"')).map(line => JSON.parse(line))
  const open = sends.find(({ nonce }) => nonce === sentBefore + CREATIONS - 2)
  const isOfOpen = (line: string) => line.includes(`"futureId":"${open.futureId}"`)
  const kept = lines.filter(line => !(isOfOpen(line) && /"TRANSACTION_CONFIRM"|_COMPLETE"/.test(line)))
  assert.equal(kept.length, lines.length - 2)
  writeFileSync(journal, kept.join('\n'))
  await deployOn('local', anvil.url, options)
  assert.equal(await nonce(), sentBefore + TRANSACTIONS)
})

/** The powers of docs/protocol.md, complete: any other holder would be in the list. */
const POWERS = [
  'PeerRegistry BOOTNODE_MANAGER_ROLE deployer',
  'PeerRegistry DEFAULT_ADMIN_ROLE deployer',
  'PrgMarket owner deployer',
  'RewardVotes EVALUATOR_ADMIN_ROLE deployer',
  'TimelockController CANCELLER_ROLE deployer',
  'TimelockController DEFAULT_ADMIN_ROLE TimelockController',
  'TimelockController EXECUTOR_ROLE deployer',
  'TimelockController PROPOSER_ROLE deployer',
]
/** Those that wait in the timelock; under a manual schedule, which is for test networks, they are the deployer's. */
const KEPT = [
  'RewardVotes DEFAULT_ADMIN_ROLE',
  'Rounds DEFAULT_ADMIN_ROLE',
  'Rounds ENVIRONMENT_MANAGER_ROLE',
  'Rounds ROUND_MANAGER_ROLE',
  'Rounds SCHEDULE_MANAGER_ROLE',
  'SwarmCoordinator BOOTNODE_MANAGER_ROLE',
  'SwarmCoordinator OWNER_ROLE',
  'SwarmCoordinator STAGE_MANAGER_ROLE',
]
const keptBy = (keeper: string) => [...POWERS, ...KEPT.map(power => `${power} ${keeper}`)].sort()

test('the timelock controls everything that could change points, nobody controls its clock, and no key has further powers', async () => {
  const { deployment } = await deployOn('local', anvil.url, freshOptions())
  const shared = 'RewardVotes EVALUATOR_ADMIN_ROLE TimelockController'
  const powers = await readPowers(anvil.url, deployment, { deployer: DEPLOYER })
  assert.deepEqual(powers, [...keptBy('TimelockController'), shared].sort())
  const client = createPublicClient({ transport: http(anvil.url) })
  const { address } = deployment.contracts.TimelockController
  const delay = { address, abi: timelockControllerAbi, functionName: 'getMinDelay' } as const
  assert.equal(await client.readContract(delay), 60n)
})

test('a manual schedule is moved by the coordinator, even if the first run died before it was handed over', async () => {
  const options = freshOptions({ roundSeconds: 0 })
  await refused('DEPLOYMENT_FAILED', deployOn('local', anvil.url, options, dieAt(CREATIONS + 2, 'before')))
  const { deployment, sent } = await deployOn('local', anvil.url, options)
  assert.equal(sent, 1)
  const handedOver = 'Rounds ROUND_MANAGER_ROLE SwarmCoordinator'
  const powers = await readPowers(anvil.url, deployment, { deployer: DEPLOYER })
  assert.deepEqual(powers, [...keptBy('deployer'), handedOver].sort())
  const { address } = deployment.contracts.SwarmCoordinator
  const client = createWalletClient({ account: privateKeyToAccount(LOCAL_KEY), transport: http(anvil.url) }).extend(
    publicActions,
  )
  const coordinator = { address, abi: swarmCoordinatorAbi } as const
  const hash = await client.writeContract({ ...coordinator, functionName: 'updateStageAndRound', chain: null })
  await client.waitForTransactionReceipt({ hash })
  assert.equal(await client.readContract({ ...coordinator, functionName: 'currentRound' }), 1n)
  await refused('PARAMETERS_DIFFER', deployOn('local', anvil.url, { ...options, requested: { roundSeconds: 5 } }))
})

test('a rerun keeps to the parameters of the first run, and refuses others', async () => {
  const options = freshOptions({ roundSeconds: 30 })
  await refused('DEPLOYMENT_FAILED', deployOn('local', anvil.url, options, dieAt(0, 'before')))
  await refused('PARAMETERS_DIFFER', deployOn('local', anvil.url, { ...options, requested: { roundSeconds: 31 } }))
  await deployOn('local', anvil.url, { ...options, requested: {} })
  // With the journal gone, the contracts themselves say what they were made with.
  rmSync(options.journalDir, { recursive: true })
  await deployOn('local', anvil.url, options)
  const message = await refused(
    'PARAMETERS_DIFFER',
    deployOn('local', anvil.url, { ...options, requested: { roundSeconds: 31 } }),
  )
  assert.match(message, /roundSeconds 30, not 31: .*ignition and .*deployment\.json away/)
})

/** A chain of the test's own, whose clock it moves. */
async function onChain(run: (chain: Anvil) => Promise<void>): Promise<void> {
  const chain = await startAnvil(31337)
  try {
    await run(chain)
  } finally {
    await chain.stop()
  }
}

async function pass(chain: Anvil, seconds: number): Promise<number> {
  await chain.rpc('evm_increaseTime', seconds)
  await chain.rpc('evm_mine')
  return now(chain)
}

const now = async (chain: Anvil) =>
  Number((await chain.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', 'latest', false)).timestamp)

async function roundZeroOf(chain: Anvil, { Rounds }: Deployment['contracts']): Promise<number> {
  const client = createPublicClient({ transport: http(chain.url) })
  return Number(await client.readContract({ ...Rounds, abi: roundsAbi, args: [0n], functionName: 'startOf' }))
}

test('a start that has gone by is refused, since bootstrap counts from round 0', () =>
  onChain(async chain => {
    const early = freshOptions({ startsAtSec: (await now(chain)) - 60, roundSeconds: 30 })
    const message = await refused('BAD_OPTION', deployOn('local', chain.url, early))
    assert.match(message, /^--starts-at \d+ is 2 rounds ago by the chain's clock.*: give a time from \d+ on/)
    await refused('BAD_OPTION', deployOn('local', chain.url, freshOptions({ startsAtSec: 0 })))
    assert.equal(await nonce(chain), 0)
  }))

test('a run that finishes another a week later takes a new start, as long as the clock was not created', () =>
  onChain(async chain => {
    const options = freshOptions({ roundSeconds: 600, bootstrapRounds: 1_008 })
    await refused('DEPLOYMENT_FAILED', deployOn('local', chain.url, options, dieAt(1, 'before')))
    const late = await pass(chain, 700_000)
    const { deployment, sent } = await deployOn('local', chain.url, { ...options, requested: {} })
    assert.equal(sent, TRANSACTIONS - 1)
    const startsAtSec = await roundZeroOf(chain, deployment.contracts)
    assert(startsAtSec >= late, `round 0 began at ${startsAtSec}, before ${late}`)
    rmSync(options.recordFile)
    await deployOn('local', chain.url, { ...options, requested: { startsAtSec } })
  }))

test('a run that cannot be finished before bootstrap is over is refused', () =>
  onChain(async chain => {
    const options = freshOptions({ roundSeconds: 600, bootstrapRounds: 1_008 })
    await refused('DEPLOYMENT_FAILED', deployOn('local', chain.url, options, dieAt(CREATIONS, 'before')))
    await pass(chain, 700_000)
    const message = await refused('BOOTSTRAP_OVER', deployOn('local', chain.url, { ...options, requested: {} }))
    assert.match(message, /all 1008 rounds of bootstrap are over.*delete .*ignition to deploy afresh/)
    assert.equal(await nonce(chain), CREATIONS)
  }))

test('an address without code is refused, by the journal and by the record', async () => {
  const options = freshOptions()
  const { deployment } = await deployOn('local', anvil.url, options)
  const { address } = deployment.contracts.RolloutCommitments
  await anvil.rpc('anvil_setCode', address, '0x')
  assert.match(await refused('DEAD_ADDRESS', deployOn('local', anvil.url, options)), /RolloutCommitments.*delete/)
  const aside = { ...options, recordFile: `${options.recordFile}.none` }
  await refused('DEAD_ADDRESS', deployOn('local', anvil.url, aside))
  rmSync(options.journalDir, { recursive: true })
  await refused('DEAD_ADDRESS', deployOn('local', anvil.url, options))
})

test('a chain that began afresh is refused, even before anything was mined on the first', async () => {
  const options = freshOptions()
  await refused('DEPLOYMENT_FAILED', deployOn('local', anvil.url, options, dieAt(0, 'before')))
  const other = await startAnvil(31337, '--timestamp', '1700000000')
  try {
    const hint = await refused('CHAIN_REPLACED', deployOn('local', other.url, options))
    assert.match(hint, /WAGGLE_RPC_URL.* delete .*ignition and .*deployment\.json to deploy afresh$/)
    mkdirSync(path.join(options.journalDir, '..', 'peers'))
    const swarmsHint = await refused('CHAIN_REPLACED', deployOn('local', other.url, options))
    assert.match(swarmsHint, /is the folder of a swarm: point WAGGLE_RPC_URL at its chain, or name another folder/)
    assert.match(swarmsHint, /only if its chain is lost, delete .*, which forgets the swarm's points$/)
  } finally {
    await other.stop()
  }
})

test('a deployment says what is confirmed, and that a chain without blocks confirms nothing', async () => {
  const chain = await startAnvil(NETWORKS.sepolia?.chainId ?? 0)
  const lines: string[] = []
  let mining: NodeJS.Timeout | undefined
  const say = (line: string) => {
    lines.push(line)
    // From the first line on the chain makes blocks without transactions.
    mining ??= setInterval(() => void chain.rpc('evm_mine').catch(() => {}), 100)
  }
  try {
    await deployOn('sepolia', chain.url, { ...freshOptions(), isPrebuilt: true, say })
    assert.match(lines[0] ?? '', /no block since block \d+: each transaction waits for 2 blocks, its own included$/)
    const confirmed = lines.filter(line => line.endsWith(' confirmed'))
    assert.equal(confirmed.length, TRANSACTIONS)
    assert(confirmed.includes('  Rounds confirmed') && confirmed.includes('  WireStakes confirmed'), lines.join())
  } finally {
    clearInterval(mining)
    await chain.stop()
  }
})

test('a chain with another id, and a chain that does not answer, are refused before anything is written', async () => {
  const options = freshOptions()
  const message = await refused('WRONG_CHAIN', deployOn('sepolia', anvil.url, options))
  assert.match(message, /sepolia is chain 11155111, but chain 31337 answers.*SEPOLIA_RPC_URL/)
  await refused('CHAIN_UNREACHABLE', deployOn('local', 'http://127.0.0.1:1', options))
})

test('an account that cannot pay is told what it takes', async () => {
  const balance = await anvil.rpc<Hex>('eth_getBalance', DEPLOYER, 'latest')
  await anvil.rpc('anvil_setBalance', DEPLOYER, '0x1')
  const message = await refused('NO_FUNDS', deployOn('local', anvil.url, freshOptions()))
  await anvil.rpc('anvil_setBalance', DEPLOYER, balance)
  assert.match(message, new RegExp(`${DEPLOYER} holds 0.000000000000000001 on local, deploying takes 0\\.\\d+`, 'i'))
})

test('a damaged journal, parameter file or record is named with what to do', async () => {
  const options = freshOptions()
  await deployOn('local', anvil.url, options)
  const damage = (file: string, code: DeployErrorCode, into: DeployOptions) => {
    const good = readFileSync(file)
    writeFileSync(file, `${good.subarray(0, good.length - 20)}`)
    return refused(code, deployOn('local', anvil.url, into)).finally(() => writeFileSync(file, good))
  }
  const journal = path.join(options.journalDir, 'journal.jsonl')
  const lines = readFileSync(journal, 'utf8').split('\n')
  writeFileSync(journal, lines.with(3, lines[3]?.slice(0, -20) ?? '').join('\n'))
  const message = await refused('JOURNAL_CORRUPT', deployOn('local', anvil.url, options))
  assert.match(message, /line 4 of .*journal\.jsonl is damaged/)
  writeFileSync(journal, lines.join('\n'))
  const parameters = path.join(options.journalDir, 'parameters.json')
  await damage(parameters, 'JOURNAL_CORRUPT', options)
  assert.match(await damage(options.recordFile, 'RECORD_CORRUPT', options), /delete it and run again: nothing is sent/)
  // In a fresh clone there is no journal: a run without the record would deploy a second protocol.
  const cloned = { ...options, journalDir: `${options.journalDir}.none` }
  const lost = await damage(options.recordFile, 'RECORD_CORRUPT', cloned)
  assert.match(lost, /restore the file, for example with "git checkout"/)
  assert.doesNotMatch(lost, /delete|nothing is sent/)
  assert.equal((await deployOn('local', anvil.url, options)).sent, 0)
})

test('a journal that is there and cannot be read is refused, and not taken for none', async () => {
  const options = freshOptions()
  mkdirSync(path.join(options.journalDir, 'journal.jsonl'), { recursive: true })
  const sentBefore = await nonce()
  assert.match(await refused('JOURNAL_CORRUPT', deployOn('local', anvil.url, options)), /journal\.jsonl cannot be read/)
  assert.equal(await nonce(), sentBefore)
})

test('a folder that cannot be locked is named with its reason, and not taken for a running deployment', async () => {
  const options = freshOptions()
  writeFileSync(options.journalDir, '')
  assert.match(await refused('JOURNAL_UNUSABLE', deployOn('local', anvil.url, options)), /EEXIST.*can write/)
  rmSync(options.journalDir)
  mkdirSync(options.journalDir)
  writeFileSync(path.join(options.journalDir, 'lock.sqlite'), 'garbage'.repeat(200))
  const message = await refused('JOURNAL_UNUSABLE', deployOn('local', anvil.url, options))
  assert.match(message, /file is not a database.*delete .*lock\.sqlite/)
})

test('a deployment that another account began is refused with the account whose key is needed', async () => {
  const options = freshOptions()
  await refused('DEPLOYMENT_FAILED', deployOn('local', anvil.url, options, dieAt(0, 'before')))
  const journal = path.join(options.journalDir, 'journal.jsonl')
  const other = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  writeFileSync(
    journal,
    readFileSync(journal, 'utf8').replaceAll(`"from":"${DEPLOYER.toLowerCase()}"`, `"from":"${other}"`),
  )
  const message = await refused('WRONG_KEY', deployOn('local', anvil.url, options))
  assert.equal(
    message,
    `the deployment was begun by ${other}, and the key is that of ${DEPLOYER}: set WAGGLE_DEPLOYER_KEY to the key of ${other}`,
  )
})

test('the second of two concurrent runs in one folder is refused, and the first continues', async () => {
  const options = freshOptions()
  const sentBefore = await nonce()
  const first = deployOn('local', anvil.url, options, request => async call => {
    // The first is in the middle of it.
    if (call.method === 'eth_sendTransaction' && !existsSync(`${options.journalDir}.seen`)) {
      writeFileSync(`${options.journalDir}.seen`, '')
      const message = await refused('DEPLOYMENT_RUNNING', deployOn('local', anvil.url, options))
      assert.match(message, /another deployment is running in .*ignition: wait until it has ended/)
    }
    return request(call)
  })
  assert.equal((await first).sent, TRANSACTIONS)
  assert.equal(await nonce(), sentBefore + TRANSACTIONS)
  assert.equal((await deployOn('local', anvil.url, options)).sent, 0)
})

test('the gas that funds are checked against covers the deployment, and not twice over', async () => {
  const { deployment } = await deployOn('local', anvil.url, freshOptions())
  const blocks = Object.values(deployment.contracts).map(({ startBlock }) => startBlock)
  let gas = 0n
  for (let number = Math.min(...blocks); number <= Math.max(...blocks); number++) {
    const block = await anvil.rpc<{ gasUsed: Hex }>('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
    gas += BigInt(block.gasUsed)
  }
  assert(gas <= DEPLOYMENT_GAS && gas * 2n > DEPLOYMENT_GAS, `the deployment takes ${gas} gas`)
})
