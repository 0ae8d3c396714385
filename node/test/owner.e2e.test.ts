import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  peerRegistryAbi,
  rewardVotesAbi,
  roundsAbi,
  stakesAbi,
  swarmCoordinatorAbi,
  timelockControllerAbi,
} from '@waggle/deployments/abi'
import type { Deployment } from '@waggle/deployments/record'
import { type Abi, encodeFunctionData, type Hex, numberToHex, parseEther, parseGwei, zeroHash } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admitPeer } from '#cli/account/admitPeer.ts'
import { listBootnodes, readListed } from '#cli/account/listBootnodes.ts'
import { actions } from '#cli/owner/actions.ts'
import { openOwner } from '#cli/owner/openOwner.ts'
import { cancelOperation, executeOperation, listOperations } from '#cli/owner/operations.ts'
import { type Caller, propose } from '#cli/owner/propose.ts'
import { systemClock } from '#core/clock.ts'
import { createPatience } from '#core/patience.ts'
import { presets } from '#environments/builtIn.ts'
import { environmentHash } from '#environments/environmentSpec.ts'
import { callCli } from './callCli.ts'
import { changed, startHostileEndpoint } from './hostileEndpoint.ts'
import { artifact, deployContracts, type LocalChain, startLocalChain } from './localChain.ts'

/** Anvil's first account, which deployed. */
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const PEER_ID = '16Uiu2HAm6MRTFM77avGxS4N6SxYvDFhw27Y9ys51ukqbuv6Gr5km'
const ROUND_SECONDS = 600
const HIGH = numberToHex(parseGwei('480'))

const root = mkdtempSync(join(tmpdir(), 'waggle-owner-'))
const file = join(root, 'environment.json')
const stranger = generatePrivateKey()
let local: LocalChain
let deployment: Deployment
let env: Record<string, string>
let rounds: { address: Hex; abi: typeof roundsAbi }

beforeAll(async () => {
  local = await startLocalChain()
  deployment = await deployContracts(local, ROUND_SECONDS, undefined, undefined, 0, 'timelock')
  const record = join(root, 'deployment.json')
  writeFileSync(record, JSON.stringify(deployment))
  writeFileSync(file, JSON.stringify(presets.starter))
  rounds = { address: deployment.contracts.Rounds.address, abi: roundsAbi }
  env = { WAGGLE_DEPLOYER_KEY: KEY, WAGGLE_RPC_URL: local.rpcUrl, WAGGLE_DEPLOYMENT: record }
  await local.fund(privateKeyToAddress(stranger))
}, 60_000)
afterAll(() => local?.stop())

async function said(argv: readonly string[], key: string = KEY) {
  const { stdout, stderr } = await callCli(['owner', ...argv, '--json'], { ...env, WAGGLE_DEPLOYER_KEY: key })
  return stdout === '' ? stderr : JSON.parse(stdout)
}
const question = () => ({ deployment, rpcUrl: local.rpcUrl })
/** The same without a process. */
async function proposed(name: string, words: string[], key: Hex | null = KEY, fromRound: number | null = null) {
  return proposedBy(key === null ? { key, account: null } : { key }, name, words, fromRound)
}
async function proposedBy(caller: Caller, name: string, words: string[], fromRound: number | null = null) {
  const session = await openOwner(question())
  const hashOfSpec = async () => environmentHash(presets.starter)
  const proposal = await actions[name]?.build(words, { ...session, fromRound, hashOfSpec })
  if (proposal === undefined) throw new Error(`no action ${name}`)
  return propose(session, proposal, caller)
}
const pass = async (seconds: number) => {
  await local.client.increaseTime({ seconds })
  await local.client.mine({ blocks: 1 })
}
const environmentOf = (round: number) =>
  local.client.readContract({ ...rounds, functionName: 'environmentOf', args: [BigInt(round)] })

test('an environment is proposed, too early to be executed, executed after the delay, and then played', async () => {
  const hash = environmentHash(presets.starter)
  const first = await said(['propose', 'environment', file, hash, '--from-round', '2'])
  expect(first).toMatchObject({ via: 'timelock', state: 'waiting', does: expect.stringContaining(hash) })
  expect(await said(['list'])).toMatchObject({
    operations: [{ id: first.id, state: 'waiting', does: [expect.stringMatching(/^rounds from 2 on are played in/)] }],
  })
  // A waiting proposal is not proposed twice.
  const again = () => proposed('environment', [file, hash], KEY, 2)
  expect(await again()).toMatchObject({ id: first.id, state: 'waiting', hash: null })

  const id = first.id.slice(0, 10)
  expect(await said(['execute', id])).toMatch(/cannot be executed before \d{4}-.*\[TOO_EARLY\]/s)
  await pass(61)
  expect(await said(['execute', id], stranger)).toMatch(/refused a call from the account.*EXECUTOR_ROLE/s)
  expect(await said(['execute', id])).toMatchObject({ state: 'done', hash: expect.stringMatching(/^0x/) })
  expect([await environmentOf(1), await environmentOf(2)]).toEqual([`0x${'01'.repeat(32)}`, hash])
  // The same once more is another operation.
  expect((await again()).id).not.toBe(first.id)
}, 60_000)

test('a schedule is cancelled; a stranger neither proposes nor cancels', async () => {
  await expect(proposed('schedule', ['60'], stranger)).rejects.toThrow(/refused a call .*PROPOSER_ROLE/)
  expect(await proposed('schedule', ['60'], null)).toMatchObject({ state: 'would be sent', hash: null })
  const { id } = await proposed('schedule', ['60'])
  const session = await openOwner(question())
  await expect(cancelOperation(session, id ?? '', stranger)).rejects.toThrow(/refused a call .*CANCELLER_ROLE/)
  expect(await cancelOperation(session, id ?? '', KEY)).toMatchObject({ id, state: 'cancelled' })
  await pass(61)
  await expect(executeOperation(session, id ?? '', KEY)).rejects.toThrow(/was cancelled already/)
  expect((await listOperations(session)).find(one => one.id === id)?.does).toEqual([
    expect.stringMatching(/^rounds from \d+ on last 60 s/),
  ])
})

test("the timelock's coin is sent on, and a batch that others proposed is read and executed", async () => {
  const session = await openOwner(question())
  const { timelock, rounds: clock } = session.contracts
  const receiver = privateKeyToAddress(generatePrivateKey())
  await local.fund(timelock.address)
  const sent = await proposed('send', [receiver, '0.25', 'coin'])
  const lengths = [30, 40].map(seconds =>
    encodeFunctionData({ abi: roundsAbi, functionName: 'setSchedule', args: [50n, seconds] }),
  )
  await local.mined(
    local.client.writeContract({
      ...{ ...timelock, functionName: 'scheduleBatch', account: local.admin, chain: null },
      args: [[clock.address, clock.address], [0n, 0n], lengths, zeroHash, zeroHash, 60n],
    }),
  )
  await pass(61)
  await executeOperation(session, sent.id ?? '', KEY)
  expect(await local.client.getBalance({ address: receiver })).toBe(parseEther('0.25'))
  const batch = (await listOperations(session)).find(({ does }) => does.length === 2)
  expect(batch?.does[1]).toMatch(/^rounds from 50 on last 40 s/)
  expect(await executeOperation(session, batch?.id ?? '', KEY)).toMatchObject({ state: 'done' })
})

test('a call that would do harm, or revert after the delay, is refused before it is proposed', async () => {
  const before = await listOperations(await openOwner(question()))
  const refusals: [string, string[], RegExp][] = [
    ['environment', [file, zeroHash], /hashes to 0x[0-9a-f]{64}, not to 0x0/],
    ['environment', [file], /Round 0 has begun at .* when this can be executed/],
    ['schedule', ['1'], /out of range/],
    ['schedule', ['100000'], /out of range/],
    ['grant', ['Rounds', 'OWNER_ROLE', local.admin.address], /OWNER_ROLE is not a role of Rounds/],
    ['grant', ['Nectar', 'OWNER_ROLE', local.admin.address], /Nectar is not a contract with roles/],
    ['grant', ['Rounds', 'SCHEDULE_MANAGER_ROLE', '0x1'], /not an address/],
    ['revoke', ['TimelockController', 'PROPOSER_ROLE', local.admin.address], /is the last to hold PROPOSER_ROLE/],
    ['upgrade', [privateKeyToAddress(stranger)], /no contract at/],
    ['upgrade', [deployment.contracts.Nectar.address], /not code of SwarmCoordinator/],
    // Behind the proxy, not the code itself.
    ['upgrade', [deployment.contracts.SwarmCoordinator.address], /would revert: /],
    ['delay', ['0'], /out of range/],
    ['send', [local.admin.address, '5', 'coin'], /cannot send 5/],
    ['bootnodes', ['/ip4/0.0.0.0/tcp/1'], /is not a bootnode's address/],
    ['remove', [PEER_ID], /would revert: RewardVotes_NotSeated/],
  ]
  for (const [name, words, reason] of refusals)
    await expect(proposed(name, words, KEY, 0), name).rejects.toThrow(reason)
  expect(await listOperations(await openOwner(question()))).toEqual(before)
})

test('seats of the bootstrap wait in the timelock once the deployer has renounced their role', async () => {
  const role = ['RewardVotes', 'EVALUATOR_ADMIN_ROLE']
  const { admin } = local
  await expect(proposed('renounce', [...role, admin.address])).rejects.toThrow(/is the last to hold/)
  const { address } = deployment.contracts.TimelockController
  expect(await proposed('grant', [...role, address])).toMatchObject({ via: 'account', state: 'done' })
  await expect(proposed('renounce', [...role, address])).rejects.toThrow(/AccessControlBadConfirmation/)
  // Account and timelock both hold the role, and each makes another call.
  const dry = (account: Hex | null, name: string, words: string[]) => proposedBy({ key: null, account }, name, words)
  const direct = {
    via: 'account',
    state: 'would be sent',
    transaction: { to: deployment.contracts.RewardVotes.address },
  }
  expect(await dry(admin.address, 'admit', [PEER_ID])).toMatchObject(direct)
  // The timelock's own, scheduled by whoever may.
  expect(await dry(null, 'renounce', [...role, address])).toMatchObject({ via: 'timelock', state: 'would be sent' })
  const renounced = await dry(null, 'renounce', [...role, admin.address])
  expect(renounced).toMatchObject(direct)
  expect(await said(['propose', 'renounce', ...role, admin.address, '--dry-run'])).toMatchObject(direct)
  expect(await said(['propose', 'renounce', ...role, admin.address, '--safe', join(root, 'own.json')])).toMatchObject(
    direct,
  )
  await expect(dry(null, 'admit', [PEER_ID])).rejects.toThrow(/2 accounts hold EVALUATOR_ADMIN_ROLE of RewardVotes: 0x/)
  const [stranded, ...admit] = [privateKeyToAddress(stranger), 'propose', 'admit', PEER_ID]
  expect(await said([...admit, '--dry-run', '--account', stranded])).toMatch(
    /would revert: AccessControlUnauthorizedAccount/,
  )
  expect(await said([...admit, '--account', admin.address])).toMatch(/--account goes with --dry-run or --safe/)
  const sent = await proposed('renounce', [...role, admin.address])
  expect(sent.transaction).toEqual(renounced.transaction)
  expect(sent).toMatchObject({
    ...{
      via: 'account',
      state: 'done',
      does: `${admin.address} gives up the role EVALUATOR_ADMIN_ROLE of RewardVotes`,
    },
  })

  const key = KEY
  await expect(admitPeer({ ...question(), key, peerId: PEER_ID })).rejects.toMatchObject({
    ...{ code: 'OWNER_REFUSED', hint: expect.stringContaining('npx waggle owner propose') },
  })
  const { id } = await proposed('admit', [PEER_ID])
  const seats = { address: deployment.contracts.RewardVotes.address, abi: rewardVotesAbi } as const
  const count = () => local.client.readContract({ ...seats, functionName: 'seatCountAt', args: [1_000n] })
  expect(await count()).toBe(0)
  await pass(61)
  await executeOperation(await openOwner(question()), id ?? '', KEY)
  expect(await count()).toBe(1)
})

test('a call that the account may make itself is sent at once; show lists the powers, and a batch for a Safe holds the call', async () => {
  const bootnode = `/ip4/127.0.0.1/tcp/4001/p2p/${PEER_ID}`
  expect(await proposed('bootnodes', [bootnode])).toMatchObject({ via: 'account', state: 'done' })
  const registry = { address: deployment.contracts.PeerRegistry.address, abi: peerRegistryAbi }
  expect(await local.client.readContract({ ...registry, functionName: 'bootnodes' })).toEqual([bootnode])
  const { Stakes } = deployment.contracts
  const stakes = { address: Stakes.address, abi: stakesAbi } as const
  const bootstrapRounds = Number(await local.client.readContract({ ...stakes, functionName: 'bootstrapRounds' }))
  const startsAtSec = Number(await local.client.readContract({ ...rounds, functionName: 'startOf', args: [0n] }))
  expect(await said(['show'])).toMatchObject({
    ...{
      delaySec: 60,
      roundSeconds: ROUND_SECONDS,
      bootnodes: [bootnode],
      bootstrap: { rounds: bootstrapRounds, startsAtSec },
    },
    powers: expect.arrayContaining([
      { contract: 'Rounds', role: 'ENVIRONMENT_MANAGER_ROLE', holder: 'TimelockController' },
      { contract: 'TimelockController', role: 'PROPOSER_ROLE', holder: local.admin.address },
      { contract: 'PrgMarket', role: 'owner', holder: local.admin.address },
    ]),
  })

  const { abi, bytecode } = artifact('SwarmCoordinator')
  const args = [deployment.contracts.PeerRegistry.address, deployment.contracts.Rounds.address]
  const made = await local.client.deployContract({ abi, bytecode, args, account: local.admin, chain: null })
  const { contractAddress } = await local.client.waitForTransactionReceipt({ hash: made, pollingInterval: 20 })
  const batch = join(root, 'safe.json')
  await said(['propose', 'upgrade', contractAddress as Hex, '--safe', batch])
  const [{ to, data }] = JSON.parse(readFileSync(batch, 'utf8')).transactions
  const upgrade = encodeFunctionData({
    ...{ abi: swarmCoordinatorAbi, functionName: 'upgradeToAndCall', args: [contractAddress as Hex, '0x'] },
  })
  expect([to, data]).toEqual([
    deployment.contracts.TimelockController.address,
    encodeFunctionData({
      ...{ abi: timelockControllerAbi as Abi, functionName: 'schedule' },
      args: [deployment.contracts.SwarmCoordinator.address, 0n, upgrade, zeroHash, zeroHash, 60n],
    }),
  ])
}, 60_000)

test('a call that no block takes in time is pending, and no second one is sent before it is mined', async () => {
  const { client, rpcUrl } = local
  const bootnodes = [`/ip4/127.0.0.1/tcp/4002/p2p/${PEER_ID}`]
  const owner = { deployment, rpcUrl, key: KEY, patience: createPatience(1_000, systemClock, () => {}) } as const
  await client.setAutomine(false)
  const late = { code: 'CALL_PENDING', retryable: true }
  await expect(listBootnodes(owner, [], bootnodes)).rejects.toMatchObject({
    ...{ ...late, message: expect.stringMatching(/^Transaction 0x[0-9a-f]{64} was sent and is not mined yet/) },
  })
  const { address } = local.admin
  const sent = await client.getTransactionCount({ address, blockTag: 'pending' })
  await expect(listBootnodes(owner, bootnodes, [])).rejects.toMatchObject({
    ...{ ...late, message: expect.stringContaining('has a transaction that is not mined yet; nothing was sent') },
  })
  expect(await client.getTransactionCount({ address, blockTag: 'pending' })).toBe(sent)
  await client.setAutomine(true)
  await client.mine({ blocks: 1 })
  expect(await readListed(owner)).toEqual(bootnodes)
  expect(await listBootnodes(owner, bootnodes, [])).toMatchObject({ bootnodes: [] })
})

test('an endpoint chooses nothing of a call but its gas, and a price above the bound sends nothing', async () => {
  await using endpoint = await startHostileEndpoint(local.rpcUrl)
  const owner = { deployment, rpcUrl: endpoint.url, key: KEY } as const
  const bootnodes = [`/ip4/127.0.0.1/tcp/4004/p2p/${PEER_ID}`]
  const suggestsHigh = changed((answers, calls) =>
    answers.map((answer, at) =>
      calls[at]?.method === 'eth_maxPriorityFeePerGas' ? { ...answer, result: HIGH } : answer,
    ),
  )
  endpoint.fail(suggestsHigh)
  const { hash } = await listBootnodes(owner, [], bootnodes)
  const sent = await local.client.getTransaction({ hash: hash as Hex })
  expect(sent.maxPriorityFeePerGas).toBe(parseGwei('2'))
  expect(endpoint.asked().has('eth_fillTransaction')).toBe(false)
  const fees = { maxFeeGwei: 0.001, maxTipGwei: 16 }
  await expect(listBootnodes({ ...owner, fees }, bootnodes, [])).rejects.toMatchObject({
    ...{ code: 'CALL_UNSENT', hint: expect.stringContaining('--max-fee-gwei') },
    message: expect.stringMatching(/^A unit of gas costs \d[\d.]* gwei, and may cost 0\.001; nothing was sent\.$/),
  })
  expect(await readListed(owner)).toEqual(bootnodes)
})

test('a transaction that no pool takes is not taken for sent, and one whose answer was lost is', async () => {
  await using endpoint = await startHostileEndpoint(local.rpcUrl)
  const patience = createPatience(1_000, systemClock, () => {})
  const owner = { deployment, rpcUrl: endpoint.url, key: KEY, patience } as const
  const before = await readListed(owner)
  const added = [`/ip4/127.0.0.1/tcp/4005/p2p/${PEER_ID}`]
  const isSending = ({ method }: { method: string }) => method === 'eth_sendRawTransaction'
  const refusal = (message: string) => ({ error: { code: -32_000, message } })

  // A server that is a block late names a used nonce.
  endpoint.fail(
    changed((answers, calls) =>
      answers.map((answer, at) =>
        calls[at]?.method === 'eth_getTransactionCount' ? { ...answer, result: '0x0' } : answer,
      ),
    ),
  )
  const unsent = { code: 'CALL_UNSENT', retryable: true }
  await expect(listBootnodes(owner, [], added)).rejects.toMatchObject({
    ...{ ...unsent, hint: expect.stringContaining('Try again') },
    message: expect.stringContaining('(nonce too low); nothing was sent'),
  })
  endpoint.fail(({ calls, response }) => {
    const answer = { jsonrpc: '2.0', id: calls[0]?.id, ...refusal('transaction underpriced: gas tip cap 0') }
    response.writeHead(200).end(JSON.stringify(answer))
  }, isSending)
  const hint = expect.stringContaining('--max-tip-gwei')
  await expect(listBootnodes(owner, [], added)).rejects.toMatchObject({ ...unsent, hint })
  expect(await readListed(owner)).toEqual(before)

  // The server that is asked for the receipt is behind the one that took the transaction.
  let lacksReceipt = true
  endpoint.fail(
    changed((answers, calls) =>
      answers.map((answer, at) => {
        const call = calls[at]
        if (call && isSending(call)) return { jsonrpc: '2.0', id: answer.id, ...refusal('nonce too low') }
        if (call?.method !== 'eth_getTransactionReceipt' || !lacksReceipt) return answer
        lacksReceipt = false
        return { ...answer, result: null }
      }),
    ),
  )
  expect(await listBootnodes(owner, [], added)).toMatchObject({ hash: expect.stringMatching(/^0x/) })
  endpoint.fail(null)
  expect([lacksReceipt, await readListed(owner)]).toEqual([false, added])
})

test('a bootnode that is not listed cannot be removed: a mistyped address fails', async () => {
  const address = `/ip4/127.0.0.1/tcp/4003/p2p/${PEER_ID}`
  const { code, stdout, stderr } = await callCli(['bootnode', 'remove', address], env)
  expect([code, stdout]).toEqual([64, ''])
  expect(stderr).toContain(`${address} is not listed`)
})
