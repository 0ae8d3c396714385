import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { loadEnvironments } from '#environments/builtIn.ts'
import { layOutHelp } from '../src/cli/layOutHelp.ts'
import { verbs } from '../src/cli/verbs.ts'
import { callCli } from './callCli.ts'
import { runCli, startCli } from './cliProcess.ts'
import { deployContracts, startLocalChain } from './localChain.ts'
import { startInTerminal } from './terminal.ts'

const HERE = ['--listen', '/ip4/127.0.0.1/tcp/0']
const root = mkdtempSync(join(tmpdir(), 'waggle-cli-'))

test('the list of commands names each with a line, and each says what it takes', async () => {
  const { code, stdout, stderr } = await runCli(['--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const names = stdout.split('\n').flatMap(line => /^ {2}([a-z]+) +\S/.exec(line)?.[1] ?? [])
  expect(names).toEqual(Object.keys(verbs))
  // Loaded here: a process for each of twenty takes ten seconds of a core.
  for (const [name, { load }] of Object.entries(verbs))
    expect(layOutHelp((await load()).help)).toMatch(new RegExp(`npx waggle ${name} `))
  const audit = (await verbs.audit?.load())?.help ?? []
  expect(await runCli(['audit', '--help'])).toEqual({ code: 0, stdout: `${layOutHelp(audit, 80)}\n`, stderr: '' })
})

test('a peer is made once, backed up, lost and restored with the same keys', async () => {
  const [data, copy] = [join(root, 'peer'), join(root, 'copy')]
  const made = JSON.parse((await callCli(['init', '--data', data, '--json'])).stdout)
  expect(made).toMatchObject({ data, peerId: expect.stringMatching(/^16Uiu2HA/) })
  expect(JSON.parse((await callCli(['init', '--data', data, '--json'])).stdout)).toEqual(made)
  const keys = () => readdirSync(data).map(file => readFileSync(join(data, file), 'base64'))
  const models = join(data, 'cache')
  writeFileSync(join(data, 'waggle.yaml'), `models: ${models}\n`)
  const before = keys()
  mkdirSync(models)
  writeFileSync(join(models, 'weights'), 'can be downloaded again')

  const secret = join(root, 'passphrase')
  writeFileSync(secret, 'five words in a file\n')
  const backUp = (...argv: string[]) => callCli(['backup', copy, '--data', data, ...argv])
  expect(await runCli(['backup', copy, '--data', data])).toMatchObject({
    code: 64,
    stderr: expect.stringMatching(/no terminal to ask/),
  })
  const short = await callCli(['backup', copy, '--data', data], { WAGGLE_BACKUP_PASSPHRASE: 'short' })
  expect(short).toMatchObject({ code: 64, stderr: expect.stringMatching(/needs 12 characters/) })
  expect(await backUp('--passphrase-file', secret)).toMatchObject({ code: 0, stderr: '' })
  const twice = await backUp()
  expect(twice).toMatchObject({ code: 1, stderr: expect.stringMatching(/already exists.*\[BACKUP\]/) })
  const over = await callCli(['restore', copy, '--data', data])
  expect(over).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not empty.*\[BACKUP\]/) })
  rmSync(data, { recursive: true })
  const restore = ['restore', copy, '--data', data, '--json']
  const wrong = await callCli(restore, { WAGGLE_BACKUP_PASSPHRASE: 'other words of a shell' })
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/passphrase does not .*\[PASSPHRASE_FILE\]/) })
  const restored = await callCli(restore, { WAGGLE_BACKUP_PASSPHRASE: 'five words in a file' })
  expect(JSON.parse(restored.stdout)).toMatchObject({ peerId: made.peerId, name: made.name })
  expect(keys()).toEqual(before)
})

test('the deployer of a swarm seats an evaluator and lists a bootnode, through which one command joins', async () => {
  const local = await startLocalChain()
  const running: ReturnType<typeof startCli>[] = []
  try {
    const { hash } = (await loadEnvironments()).starter
    const deployment = JSON.stringify(await deployContracts(local, 600, hash))
    const record = join(root, 'deployment.json')
    writeFileSync(record, deployment)
    const data = join(root, 'evaluator')
    const { peerId } = JSON.parse((await callCli(['init', '--data', data, '--json'])).stdout)
    // Anvil's first account, which deployed.
    const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
    const env = { WAGGLE_DEPLOYER_KEY: key, WAGGLE_RPC_URL: local.rpcUrl, WAGGLE_DEPLOYMENT: record }
    const admit = async () => JSON.parse((await callCli(['admit', peerId, '--json'], env)).stdout)
    const seated = await callCli(['admit', peerId, '--json'], env)
    expect(JSON.parse(seated.stdout)).toMatchObject({ peerId, status: 'seated', isRegistered: false })
    expect(seated.stderr).toContain(`${peerId} is not registered`)
    expect(await admit()).toEqual({ peerId, status: 'already seated', isRegistered: false })
    const { stdout } = await callCli(['status', '--data', data, '--json'], env)
    expect(JSON.parse(stdout)).toMatchObject({ peerId, seated: true, registered: false, round: 0, connections: null })

    const meet = startCli(['bootnode', '--data', join(root, 'bootnode'), ...HERE, '--log-format', 'json'], env)
    running.push(meet)
    const [bootnode = ''] = JSON.parse(await meet.line('bootnode started')).addresses
    const listed = async (...argv: string[]) => JSON.parse((await callCli(['bootnode', ...argv, '--json'], env)).stdout)
    expect(await listed('add', bootnode)).toEqual({ bootnodes: [bootnode], hash: expect.stringMatching(/^0x/) })

    const home = join(root, 'joined')
    const nowhere = await runCli(['join', '--data', home, '--rpc', 'http://127.0.0.1:1'], env)
    expect(nowhere).toMatchObject({ code: 75, stderr: expect.stringContaining('127.0.0.1:1') })
    expect(existsSync(join(home, 'waggle.yaml')), 'an endpoint that does not answer is not kept').toBe(false)
    const misfit = await runCli(['join', '--data', home, ...HERE, '--role', 'evaluator', '--lora', '16'], env)
    expect(misfit).toMatchObject({ code: 64, stderr: expect.stringContaining('An evaluator trains no adapter.') })
    expect(existsSync(join(home, 'waggle.yaml')), 'settings that no start takes are not kept').toBe(false)
    writeFileSync(join(home, 'waggle.yaml'), 'rpc: http://127.0.0.1:1\n')
    const other = await callCli(['join', '--data', home, '--rpc', `${local.rpcUrl}/?key=of-the-operator`], env)
    expect(other).toMatchObject({ code: 64, stderr: expect.stringContaining("another 'rpc' than join would save") })
    // As a killed `init` leaves it.
    writeFileSync(join(home, `peer.key.${2 ** 22}.partial`), 'half')
    utimesSync(join(home, `peer.key.${2 ** 22}.partial`), 0, 0)
    // As a killed backup leaves it.
    const left = join(home, `.backup.${randomUUID()}.partial`)
    mkdirSync(left, { mode: 0o700 })
    utimesSync(left, 0, 0)
    // A file of the operator's own does not name a role: join chooses and keeps what it does not say.
    writeFileSync(join(home, 'waggle.yaml'), '# Mine.\nlog-file: true\n')
    const peer = startCli(['join', '--data', home, ...HERE, '--threads', '1', '--metrics-port', '0'], env)
    running.push(peer)
    await Promise.all(
      ['role      solver', 'device    cpu (', 'given by the local chain', 'registered', 'connected peers=1'].map(
        peer.said,
      ),
    )
    expect(readdirSync(home).filter(name => name.endsWith('.partial'))).toEqual([])
    const url = /http:\S+/.exec(await peer.line('metrics url='))?.[0] ?? ''
    const metrics = await (await fetch(url)).text()
    expect(metrics).toMatch(/^waggle_connected_peers 1$/m)
    expect(metrics).toMatch(/^waggle_transactions_total\{kind="register",outcome="mined"\} 1$/m)
    expect(metrics).not.toContain(readFileSync(join(home, 'account.key'), 'utf8').trim().replace('0x', ''))
    expect((await fetch(url.replace('metrics', 'health'))).status).toBe(200)
    expect((await fetch(url.replace('metrics', 'ready'))).status).toBe(503)
    const seen = JSON.parse((await callCli(['status', '--data', home, '--json'], env)).stdout)
    expect(seen).toMatchObject({ registered: true, balanceEth: expect.stringMatching(/^9\.9/) })
    expect(seen.connections).toMatchObject({ peers: 1, alone: null })
    const settings = readFileSync(join(home, 'waggle.yaml'), 'utf8')
    expect(parse(settings)).toMatchObject({ 'log-file': true, role: 'solver', threads: '1' })
    expect(settings).toMatch(/^# Mine\.$/m)
    expect(readFileSync(join(home, 'log/waggle.log'), 'utf8')).toContain('connected peers=1')
    expect(await listed('clear')).toMatchObject({ bootnodes: [] })

    const kept = { ...env, WAGGLE_BACKUP_PASSPHRASE: 'five words in a shell' }
    const [copy, moved] = [join(root, 'joined.age'), join(root, 'moved')]
    expect(await callCli(['backup', copy, '--data', home], kept)).toMatchObject({ code: 0, stderr: '' })
    peer.interrupt()
    expect((await peer.exited).stdout).toMatch(/ stopped\n$/)
    expect(await callCli(['restore', copy, '--data', moved], kept)).toMatchObject({ code: 0, stderr: '' })
    const again = startInTerminal(['start', '--data', moved, '--deployment', record, '--rpc', local.rpcUrl, ...HERE])
    onTestFinished(() => void again.close())
    await again.shows(new RegExp(`started.*${seen.peerId}`))
    again.close()
    const log = () => readFileSync(join(moved, 'log/waggle.log'), 'utf8')
    await expect.poll(log, { timeout: 60_000 }).toMatch(/ stopped\n$/)
  } finally {
    await Promise.all(running.map(one => one.stop()))
    await local.stop()
  }
}, 240_000)
