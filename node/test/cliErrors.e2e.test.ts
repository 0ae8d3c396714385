import { cpSync, mkdirSync, mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import type { Deployment } from '@waggle/deployments/record'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { contractsOf } from '#chain/contracts.ts'
import { loadEnvironments, starterFolder } from '#environments/builtIn.ts'
import { openIdentity } from '#store/identity.ts'
import { JOURNAL_FILE } from '#store/openDatabase.ts'
import { freePort } from '../../scripts/base/freePorts.ts'
import { callCli } from './callCli.ts'
import { type CliResult, runCli, startCli, takePort } from './cliProcess.ts'
import { startHostileEndpoint } from './hostileEndpoint.ts'
import { deployContracts, type LocalChain, startLocalChain } from './localChain.ts'
import { refusedCall } from './refusedCall.ts'

const root = mkdtempSync(join(tmpdir(), 'waggle-cli-'))
let local: LocalChain
let deployment: Deployment

beforeAll(async () => {
  local = await startLocalChain()
  deployment = await deployContracts(local, 100_000)
  await playByOurRules()
})

afterAll(() => local.stop())

/** The rules of round 1 on are those of this node, and it is round 1. */
async function playByOurRules(): Promise<void> {
  const { rounds } = contractsOf(deployment)
  const { hash } = (await loadEnvironments()).starter
  await local.mined(
    local.client.writeContract({ ...rounds, functionName: 'setEnvironment', args: [1n, hash], chain: null }),
  )
  const startsAt = await local.client.readContract({ ...rounds, functionName: 'startOf', args: [1n] })
  await local.travelTo(Number(startsAt))
}

/** A folder with keys, and a record of the deployment. */
async function newPeer(name: string, { funded = true, record = deployment } = {}) {
  const data = join(root, name, 'peer')
  const recordPath = join(root, name, 'deployment.json')
  const { address, peerId } = await openIdentity(data)
  if (funded) await local.fund(address)
  writeFileSync(recordPath, JSON.stringify(record))
  const flags = ['--data', data, '--deployment', recordPath, '--rpc', local.rpcUrl]
  const start = ['start', '--role', 'gateway', '--listen', '/ip4/127.0.0.1/tcp/0', ...flags]
  const keys = () => ['peer.key', 'account.key'].map(file => readFileSync(join(data, file), 'base64'))
  return { data, recordPath, address, peerId, flags, start, keys }
}

/** One line that says what is wrong and what to do, and nothing else. */
function expectOneLine({ stderr, code }: CliResult, expected: { code: number; says: RegExp }): void {
  expect(stderr).toMatch(expected.says)
  expect(stderr.trimEnd().split('\n'), stderr).toHaveLength(1)
  expect(code).toBe(expected.code)
}

describe('wrong usage ends with 64', () => {
  const wrong: [what: string, argv: string[], says: RegExp][] = [
    [
      'an unknown option',
      ['start', '--rolle', 'solver'],
      /^Unknown option '--rolle'\. Did you mean --role\? See npx waggle start/,
    ],
    [
      'an unknown command',
      ['statsu'],
      /^Unknown command 'statsu'\. Did you mean 'status'\? npx waggle --help .* \[USAGE\]$/m,
    ],
  ]

  test.each(wrong)('%s', async (_, argv, says) => {
    expectOneLine(await callCli([...argv, '--data', join(root, 'nobody')]), { code: 64, says })
  })

  test('a network without a deployment', async () => {
    const argv = ['start', '--role', 'solver', '--network', 'local', '--data', join(root, 'nobody')]
    const says =
      /not deployed on the network 'local': .*\/\.waggle\/deployment\.json .*npx hardhat deploy --network local/
    expectOneLine(await runCli(argv), { code: 64, says })
  })

  const refused: [what: string, argv: string[], says: RegExp][] = [
    [
      'a number out of range',
      ['start', '--level', '6'],
      /^Bad option: --level must be at most 5, not '6'\. See --help\. \[USAGE\]$/m,
    ],
    [
      'an unknown role',
      ['start', '--role', 'miner'],
      /^Bad option: --role must be .*solver.* not 'miner'\. .*\[USAGE\]$/m,
    ],
    [
      'a server that is to learn',
      ['start', '--role', 'proposer', '--lora', '8', '--proposer', 'http://127.0.0.1:9/v1#m'],
      /^A model on a server stays frozen\. Leave out --lora/,
    ],
    [
      'learning without a model',
      ['start', '--role', 'proposer', '--lora', '8', '--dataset', 'tasks.jsonl'],
      /^No model proposes, so there is nothing to train\. Leave out --lora/,
    ],
    [
      'an unknown network',
      ['start', '--role', 'solver', '--network', 'mars'],
      /no network 'mars'\. Use one of local, sep/,
    ],
    [
      'a missing record',
      ['start', '--role', 'solver', '--deployment', '/no/record'],
      /\/no\/record\. Copy the record there, or .*waggle\.yaml.* npm run swarm/,
    ],
    ['a missing peer', ['status'], /^There is no peer in .* Name its folder with --data/],
    ['a transfer to no address', ['send', '0x1', '1'], /^Invalid address '0x1'\. Give 0x and 40 hexadecimal digits/],
    ['a transfer of no amount', ['send', `0x${'0a'.repeat(20)}`, '1e3'], /^Invalid amount '1e3'\. Give a number like/],
    ["an owner's unknown action", ['owner', 'propose', 'foo'], /^Unknown action 'foo'\. Use one of .*bootnodes/],
    [
      "an owner's action with too few arguments",
      ['owner', 'propose', 'admit'],
      /^The arguments of admit are: PEER_ID\./,
    ],
    ['a bundle without its file', ['bundle', 'get'], /^bundle get needs FILE\. See npx waggle bundle --help/],
    [
      'a bundle that is a device',
      ['bundle', 'verify', '/dev/zero'],
      /^\/dev\/zero is not a file of 8388608 bytes at most/,
    ],
    [
      'an unknown duty',
      ['stake', 'foo'],
      /^Unknown duty 'foo'\. The duties are evaluator and proposer; npx waggle stake show prints/,
    ],
    [
      'a negative stake',
      ['market', 'bet', '--game', '0', '--choice', '0', '--stake', '-1'],
      /^--stake is not an amount of tokens, such as 2\.5\. See --help\. \[USAGE\]/,
    ],
    [
      'an option where a value is due',
      ['market', 'bet', '--stake', '--json'],
      /^--stake needs a value\. Write --stake=VALUE if the value begins with a dash\./,
    ],
    ['an invalid peer id', ['admit', '16Uiu2HAmTypo'], /^16Uiu2HAmTypo is not a peer id\./],
  ]

  test.each([15, 201])('an invitation of %d characters', async length => {
    vi.stubEnv('WAGGLE_SPONSOR_TOKEN', 'x'.repeat(length))
    const said = await refusedCall(['sponsor', '--data', join(root, 'nobody')]).finally(() => vi.unstubAllEnvs())
    expect(said).toMatch(/^An invitation has 16 to 200 characters\./)
  })

  test.each(refused)('%s', async (_, argv, says) => {
    expect(await refusedCall([...argv, '--data', join(root, 'nobody')])).toMatch(says)
  })

  test('settings that are not YAML, or not known, are named with their file', async () => {
    const data = join(root, 'settings')
    const file = join(data, 'waggle.yaml')
    mkdirSync(data)
    writeFileSync(file, 'role: [solver')
    expect(await refusedCall(['start', '--data', data])).toMatch(/waggle\.yaml is not YAML.* Correct it/)
    writeFileSync(file, 'role: solver\ncolour: blue\n')
    expect(await refusedCall(['start', '--data', data])).toMatch(
      /Bad setting in .*waggle\.yaml: there is no setting 'colour'\. Correct that file/,
    )
  })

  test('an invalid RPC URL is reported by its variable and never printed', async () => {
    const { data, recordPath } = await newPeer('bad-url')
    const flags = ['--data', data, '--deployment', recordPath]
    const result = await callCli(['status', ...flags], { WAGGLE_RPC_URL: 'node.example/secret-key' })
    expectOneLine(result, { code: 64, says: /^WAGGLE_RPC_URL is not an http or https URL\. Correct it/ })
    expect(result.stderr).not.toContain('secret')
  })
})

describe('a chain that is not as it should be', () => {
  test('one that nobody reaches may be tried again: 75', async () => {
    const { data, recordPath } = await newPeer('unreachable')
    const rpc = `http://user:t0ps3cret@127.0.0.1:${await freePort()}/v2/t0ps3cret?key=t0ps3cret`
    const result = await callCli([
      'status',
      '--data',
      data,
      '--deployment',
      recordPath,
      '--rpc',
      `${rpc},${rpc}`,
      '--json',
    ])
    expectOneLine(result, {
      code: 75,
      says: /gave no valid answer.*Check that it runs.*\[CHAIN_UNREACHABLE\]$/m,
    })
    expect(result.stdout + result.stderr).not.toContain('t0ps3cret')
  })

  test("a chain other than the deployment's is reported by its id", async () => {
    const { flags } = await newPeer('wrong-chain', { record: { ...deployment, chainId: 685_685 } })
    const says = /has id 31337; the deployment 'test' is on 685685\. .*\[WRONG_CHAIN\]$/m
    expectOneLine(await callCli(['status', ...flags]), { code: 1, says })
  })

  test('a chain that was reset is reported by its missing contract', async () => {
    const Rounds = { address: `0x${'12'.repeat(20)}` as const, startBlock: 1 }
    const record = { ...deployment, contracts: { ...deployment.contracts, Rounds } }
    const { flags } = await newPeer('reset', { record })
    expectOneLine(await callCli(['status', ...flags]), {
      code: 1,
      says: /no Rounds at 0x1212.*deploy again.*\[CONTRACT_MI/,
    })
  })

  test('a record that is mixed up, or ahead of the chain, is refused', async () => {
    const { Rounds, PeerRegistry } = deployment.contracts
    const mixed = { ...deployment.contracts, Rounds: PeerRegistry, PeerRegistry: Rounds }
    const { flags } = await newPeer('mixed', { record: { ...deployment, contracts: mixed } })
    const says = /these addresses hold other contracts: Rounds \(0x.*take the record .*\[WRONG_CONTRACT\]$/m
    expectOneLine(await callCli(['status', ...flags]), { code: 1, says })
    const early = { ...deployment.contracts, Rounds: { ...Rounds, startBlock: 1_000_000 } }
    const ahead = await newPeer('ahead', { record: { ...deployment, contracts: early } })
    expectOneLine(await callCli(['status', ...ahead.flags]), {
      code: 1,
      says: /Rounds was deployed in block 1000000; the newest block .*\[CONTRACT_MISSING\]$/m,
    })
  })

  test('an account without funds is named, to be funded, but a gateway needs none', async () => {
    const { start, address } = await newPeer('poor', { funded: false })
    const says = new RegExp(`account ${address} has no funds.* npx waggle join .*\\[NO_FUNDS\\]$`, 'm')
    expectOneLine(await callCli(start.with(2, 'solver')), { code: 1, says })
    const gateway = startCli([...start, '--http', String(await freePort())])
    onTestFinished(async () => void (await gateway.stop()))
    await gateway.said('started')
  })

  test('the doctor names what is wrong, with what to do', async () => {
    const { flags, address } = await newPeer('ill', { funded: false })
    await using syncing = await startHostileEndpoint(local.rpcUrl)
    syncing.fail('null', ({ method }) => method === 'eth_getBlockByNumber')
    const endpoints = ['--rpc', `${local.rpcUrl},${syncing.url}`]
    const { stdout, code } = await callCli(['doctor', ...flags, ...endpoints, '--device', 'cuda', '--json'])
    const { findings } = JSON.parse(stdout)
    const stateOf = (check: string) => findings.find((finding: { check: string }) => finding.check === check)
    // ONNX Runtime is installed without CUDA.
    expect(stateOf('device')).toMatchObject({ state: 'failure', found: expect.stringContaining('cannot run on cuda') })
    // This chain's time was set ahead.
    expect(stateOf('clock')).toMatchObject({
      state: 'failure',
      found: expect.stringContaining('behind the newest block'),
    })
    const { origin } = new URL(syncing.url)
    expect(stateOf('chain').found).not.toContain(origin)
    expect(stateOf('endpoint')).toMatchObject({ state: 'warning', found: expect.stringMatching(`^${origin}: .*null`) })
    expect(stateOf('funds')).toMatchObject({ state: 'failure', advice: expect.stringContaining(address) })
    for (const check of ['keys', 'chain', 'disk', 'node']) expect(stateOf(check)).toMatchObject({ state: 'ok' })
    expect(code).toBe(1)
  })

  test('an account that may not seat evaluators is told who may', async () => {
    const { flags, peerId } = await newPeer('usurper')
    await local.fund('0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf')
    const env = { WAGGLE_DEPLOYER_KEY: `0x${'1'.padStart(64, '0')}` }
    const says =
      /refused a call from the account 0x7E5F.*Use the key of an account that has the role.*\[OWNER_REFUSED\]$/m
    expectOneLine(await callCli(['admit', peerId, ...flags], env), { code: 1, says })
  })
})

test('bonds and what happens to them are printed, and nothing is sent', async () => {
  const { flags, address } = await newPeer('bonds')
  const before = await local.client.getTransactionCount({ address })
  const { code, stdout } = await callCli(['challenge', 'bonds', '--json', ...flags])
  const appeal = {
    bond: '0.01',
    bondWei: `1${'0'.repeat(16)}`,
    terms: expect.stringContaining('pays the jury'),
  }
  expect({ code, said: JSON.parse(stdout) }).toMatchObject({
    ...{ code: 0, said: { account: address, balance: '1', appeal, secondAppeal: { bond: '0.02' } } },
  })
  expect(await local.client.getTransactionCount({ address })).toBe(before)
})

describe('a second process is refused, and the first keeps', () => {
  test('the ports of a peer', async () => {
    const { start, keys } = await newPeer('ports')
    const before = keys()
    const { port, server } = await takePort()
    const listen = await runCli([...start, '--listen', `/ip4/127.0.0.1/tcp/${port}`])
    const http = await callCli([...start, '--http', String(port)])
    server.close()
    expectOneLine(listen, { code: 1, says: /port of .* is in use\. .*another port for `listen`.*\[P2P_PORT_TAKEN\]$/m })
    expectOneLine(http, { code: 1, says: new RegExp(`^Port ${port} is taken\\. .*--http\\. \\[HTTP_PORT\\]$`, 'm') })
    expect(keys()).toEqual(before)
  })

  test('a data folder: the second node goes, the first stays, and after it the folder opens again and waits for its chain', async () => {
    const { start, flags } = await newPeer('folder')
    const first = startCli([...start, '--http', String(await freePort())])
    onTestFinished(async () => void (await first.stop()))
    await first.said('started')
    const second = await runCli([...start, '--http', String(await freePort())])
    expectOneLine(second, {
      code: 1,
      says: /Another node, process \d+, uses .* with --data\. \[DATA_FOLDER_LOCKED\]$/m,
    })
    const status = await callCli(['status', '--json', ...flags])
    expect(JSON.parse(status.stdout)).toMatchObject({ network: 'test', round: 1, pointsMilli: 0, balanceEth: '1' })
    expect(await first.stop()).toMatchObject({ code: 0, stderr: '' })

    const down = await freePort()
    const third = startCli([...start, '--rpc', `http://127.0.0.1:${down}`, '--http', String(await freePort())])
    onTestFinished(async () => void (await third.stop()))
    await third.said('waiting for the chain')
    const { port } = new URL(local.rpcUrl)
    const up = createServer(socket => void pipeline(socket, connect(Number(port), '127.0.0.1'), socket, () => {}))
    onTestFinished(() => void up.close())
    up.listen(down, '127.0.0.1')
    await third.said('started')
  })
})

describe('a damaged file is named and left as it is', () => {
  test('the journal', async () => {
    const { start, flags, data, keys } = await newPeer('journal')
    const [before, path] = [keys(), join(data, JOURNAL_FILE)]
    writeFileSync(path, 'not a database, but a good deal of text '.repeat(200))
    const kept = readFileSync(path)
    expectOneLine(await callCli(start), {
      code: 1,
      says: /journal\.sqlite is damaged.* Move it away .*\[JOURNAL_CORRUPT\]$/m,
    })
    expectOneLine(await callCli(['status', ...flags]), {
      code: 1,
      says: /journal\.sqlite cannot be read.*\[JOURNAL_UNUSABLE\]$/m,
    })
    const backup = await callCli(['backup', join(root, 'journal', 'copy'), '--data', data], {
      WAGGLE_BACKUP_PASSPHRASE: 'five words in a shell',
    })
    expectOneLine(backup, { code: 1, says: /journal\.sqlite cannot be copied.* move it away.*\[BACKUP\]$/m })
    expect(readFileSync(path)).toEqual(kept)
    expect(keys()).toEqual(before)
  })

  test('a key', async () => {
    const { start, data } = await newPeer('key')
    const path = join(data, 'account.key')
    writeFileSync(path, '0x12')
    expectOneLine(await callCli(start), {
      code: 1,
      says: /account\.key is damaged.* Restore it from a backup.*\[IDENTITY\]$/m,
    })
    expect(readFileSync(path, 'utf8')).toBe('0x12')
  })

  test("a solver's weights", async () => {
    const { start, data } = await newPeer('weights')
    const policy = join(data, 'policy')
    cpSync(join(starterFolder, 'solver'), policy, { recursive: true })
    const path = join(policy, 'model.safetensors')
    truncateSync(path, 100_000)
    const solver = start.map(word => (word === 'gateway' ? 'solver' : word))
    expectOneLine(await callCli(solver), { code: 1, says: /policy\/model\.safetensors: .*\[MODEL_FILE\]$/m })
    expect(readFileSync(path)).toHaveLength(100_000)
  })

  test("a deployment's record, and one of another network than asked for", async () => {
    const { flags, recordPath } = await newPeer('record')
    const other = await callCli(['status', ...flags, '--network', 'sepolia'])
    expectOneLine(other, {
      code: 64,
      says: /of the network 'test', not 'sepolia'\. Correct one: .* deployment: in .*waggle\.yaml/,
    })
    writeFileSync(recordPath, '{"network":"local"')
    expectOneLine(await callCli(['status', ...flags]), {
      code: 64,
      says: /deployment\.json is not a deployment record: it is not JSON, or cut off\. Restore the file/,
    })
  })
})
