import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, watch } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { configVariable } from 'hardhat/config'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { privateKeyToAddress } from 'viem/accounts'
import { readDeployment } from '../../deployments/record.ts'
import { DeployError } from '../../scripts/deploy/deployError.ts'
import { type DeployArguments, readOptions } from '../../scripts/deploy/deployTask.ts'
import { KEY_VARIABLE, LOCAL_KEY } from '../../scripts/deploy/networks.ts'
import { requireKey } from '../../scripts/deploy/requireKey.ts'
import { roundZeroLines } from '../../scripts/deploy/roundZero.ts'
import { freshDir, TRANSACTIONS } from './deployOn.ts'
import { type Anvil, startAnvil } from './startAnvil.ts'

const ROOT = path.resolve(import.meta.dirname, '..', '..')
const DEPLOYER = privateKeyToAddress(LOCAL_KEY)
let anvil: Anvil

before(async () => {
  anvil = await startAnvil(31337, '--block-time', '0.5')
})

after(() => anvil.stop())

/** Starts `hardhat deploy` with its own environment and home: no key of the developer's is in reach. */
function startDeploy(args: string[], environment: Record<string, string> = {}): ChildProcess {
  const cli = createRequire(import.meta.url)
    .resolve('hardhat/package.json')
    .replace('package.json', 'dist/src/cli.js')
  const env = { PATH: process.env.PATH, HOME: freshDir(), WAGGLE_RPC_URL: anvil.url, ...environment }
  return spawn(process.execPath, [cli, 'deploy', ...args], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function runDeploy(args: string[], environment: Record<string, string> = {}) {
  const child = startDeploy(args, environment)
  let [out, err] = ['', '']
  child.stdout?.on('data', chunk => (out += chunk))
  child.stderr?.on('data', chunk => (err += chunk))
  const [code] = await once(child, 'close')
  return { code, out, err }
}

/** Resolves once the journal in `dir` holds a line of that type. */
async function journaled(dir: string, type: string): Promise<void> {
  for await (const _ of watchEvents(dir)) {
    if (readFileSync(path.join(dir, 'journal.jsonl'), { encoding: 'utf8', flag: 'a+' }).includes(`"${type}"`)) return
  }
}

async function* watchEvents(dir: string) {
  const watcher = watch(dir)
  try {
    while (true) yield await once(watcher, 'change')
  } finally {
    watcher.close()
  }
}

test('a run killed with SIGKILL in the middle is finished by the next, with none sent twice', async () => {
  const data = freshDir()
  const journalDir = path.join(data, 'ignition')
  mkdirSync(journalDir)
  const killed = startDeploy(['--data', data])
  const closed = once(killed, 'close')
  await journaled(journalDir, 'TRANSACTION_CONFIRM')
  killed.kill('SIGKILL')
  assert.deepEqual(await closed, [null, 'SIGKILL'])

  const { code, out, err } = await runDeploy(['--data', data, '--json'])
  assert.equal(code, 0, err)
  const line = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '')
  assert.equal(line.record, path.join(data, 'deployment.json'))
  assert(line.sent > 0 && line.sent < TRANSACTIONS, out)
  assert.deepEqual(readDeployment(line.record).contracts, line.contracts)
  assert.equal(Number(await anvil.rpc('eth_getTransactionCount', DEPLOYER, 'latest')), TRANSACTIONS)

  // As files of variables for services have them: endpoints in a list, and empty ones.
  const listed = { WAGGLE_RPC_URL: `${anvil.url}, http://127.0.0.1:1`, SEPOLIA_RPC_URL: '', WAGGLE_DEPLOYER_KEY: '' }
  const again = await runDeploy(['--data', data], listed)
  const { startsAtSec } = JSON.parse(readFileSync(path.join(journalDir, 'parameters.json'), 'utf8'))
  const utc = (sec: number) => new Date(sec * 1000).toISOString()
  assert.match(again.out, /nothing to send/)
  assert(again.out.includes(`  round 0             from ${utc(startsAtSec)}, of 20 s\n`), again.out)
  assert(again.out.includes(`bootstrap           1000000 rounds, until ${utc(startsAtSec + 20_000_000)}\n`), again.out)
})

test('an empty option reaches the task as one, and ends with one clear line', async () => {
  const { code, out, err } = await runDeploy(['--starts-at', ''])
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /^deploy: --starts-at "" is out of range: .*\(BAD_OPTION\)\n$/)
})

test('an unknown network ends with one clear line and exit code 1', async () => {
  const { code, out, err } = await runDeploy(['--network', 'atlantis'])
  assert.equal(code, 1)
  assert.equal(out, '')
  const hint = 'use one of local, sepolia, gensynTestnet'
  assert.equal(err, `deploy: there is no network "atlantis": ${hint} (UNKNOWN_NETWORK)\n`)
})

const given = { prebuilt: false, json: false }

test('an option out of range is named with its range', () => {
  const refusal = (option: Partial<DeployArguments>, network = 'local') => {
    const bad: { message?: string; hint?: string } = {}
    assert.throws(
      () => readOptions(network, { ...given, ...option }, ROOT),
      error => Boolean(Object.assign(bad, error, { message: (error as Error).message })),
    )
    return `${bad.message}: ${bad.hint}`
  }
  const range = 'is out of range: give a whole number from'
  assert.equal(refusal({ roundSeconds: '-1' }), `--round-seconds "-1" ${range} 0 to 4294967295`)
  assert.equal(refusal({ roundSeconds: '4294967296' }), `--round-seconds "4294967296" ${range} 0 to 4294967295`)
  assert.equal(refusal({ roundSeconds: '1e3' }), `--round-seconds "1e3" ${range} 0 to 4294967295`)
  assert.equal(refusal({ startsAt: 'soon' }), `--starts-at "soon" ${range} 0 to 1099511627775`)
  assert.equal(refusal({ environment: '0x12' }), '--environment "0x12" is not a hash: give 0x and 64 hex digits')
  assert.match(refusal({ environment: `0x${'0'.repeat(64)}` }), /is not a hash/)
  // As in --starts-at "$START" with a variable that is not set.
  assert.equal(refusal({ startsAt: '' }), `--starts-at "" ${range} 0 to 1099511627775`)
  assert.equal(refusal({ roundSeconds: '' }), `--round-seconds "" ${range} 0 to 4294967295`)
  assert.equal(refusal({ bootstrapRounds: '' }), `--bootstrap-rounds "" ${range} 0 to 4294967295`)
  assert.equal(refusal({ environment: '' }), '--environment "" is not a hash: give 0x and 64 hex digits')
  assert.equal(refusal({ data: '' }), '--data is empty: name a path, or leave it out')
  assert.equal(refusal({ record: '' }), '--record is empty: name a path, or leave it out')
  // Twelve blocks of the network; a local chain makes one when it is told to.
  assert.equal(refusal({ roundSeconds: '143' }, 'sepolia'), `--round-seconds "143" ${range} 144 to 4294967295`)
  assert.deepEqual(readOptions('sepolia', { ...given, roundSeconds: '0' }, ROOT).requested, { roundSeconds: 0 })
})

test('records of public networks are tracked, and those of local chains lie in the data folder', () => {
  const local = readOptions('local', { ...given, data: '/data', roundSeconds: '25' }, ROOT)
  assert.equal(local.recordFile, '/data/deployment.json')
  assert.equal(local.journalDir, '/data/ignition')
  assert.deepEqual(local.requested, { roundSeconds: 25 })
  const sepolia = readOptions('sepolia', given, ROOT)
  assert.equal(sepolia.recordFile, path.join(ROOT, 'deployments', 'sepolia.json'))
  assert.equal(sepolia.journalDir, path.join(ROOT, 'ignition', 'deployments', 'sepolia'))
  assert.deepEqual(sepolia.requested, {})
})

test('a public network without a key is refused with the variable to set', async () => {
  const sepolia = await startAnvil(11_155_111)
  try {
    const args = ['--network', 'sepolia', '--data', freshDir(), '--record', path.join(freshDir(), 'record.json')]
    const { code, err } = await runDeploy(args, { SEPOLIA_RPC_URL: sepolia.url })
    assert.equal(code, 1)
    assert.match(err, /^deploy: WAGGLE_DEPLOYER_KEY holds no private key.*keystore set WAGGLE_DEPLOYER_KEY.*\n$/)
  } finally {
    await sepolia.stop()
  }
})

test('a mistyped key is refused as such, and not repeated', async () => {
  const network = { type: 'http' as const, url: 'http://127.0.0.1:1', accounts: [configVariable(KEY_VARIABLE)] }
  const refusal = async (key: string) => {
    process.env[KEY_VARIABLE] = key
    // Hardhat reads a variable once.
    const { config } = await createHardhatRuntimeEnvironment({ networks: { network } })
    const error = await requireKey(config.networks.network).catch((reason: Error) => reason)
    assert(error instanceof DeployError && error.code === 'NO_KEY', error?.stack)
    assert(key.length < 4 || !error.message.includes(key.slice(2)), error.message)
    return error.message
  }
  const wrong = `${KEY_VARIABLE} is not a private key: 0x and 64 hex digits`
  try {
    for (const key of ['food', '0x', LOCAL_KEY.slice(0, -2), `${LOCAL_KEY}0`, `0x${'0'.repeat(64)}`])
      assert.equal(await refusal(key), wrong)
    assert.match(await refusal(''), /is empty/)
    process.env[KEY_VARIABLE] = LOCAL_KEY
    const { config } = await createHardhatRuntimeEnvironment({ networks: { network } })
    await requireKey(config.networks.network)
  } finally {
    delete process.env[KEY_VARIABLE]
  }
})

test('a bootstrap that leaves no time for a proposal is pointed out', () => {
  const lines = (bootstrapEndsAtSec: number) => {
    const zero = { startsAtSec: 0, roundSeconds: 144, environmentHash: '0xab', bootstrapRounds: 1_008 } as const
    return roundZeroLines({ ...zero, bootstrapEndsAtSec }, { timelockSeconds: 172_800 }).join('\n')
  }
  assert.match(lines(1_008 * 144), /environment +0xab\n.*\n +warning +bootstrap is shorter than two delays/)
  assert.doesNotMatch(lines(1_008 * 600), /warning/)
})
