import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { contractsOf } from '#chain/contracts.ts'
import { loadEnvironments } from '#environments/builtIn.ts'
import { openIdentity } from '#store/identity.ts'
import { freePort } from '../../scripts/base/freePorts.ts'
import { registerPeers } from '../../scripts/swarm/registerPeers.ts'
import { startCli } from './cliProcess.ts'
import { deployContracts, type LocalChain, startLocalChain } from './localChain.ts'

/** Lines by which each role shows that it works. */
const WORKS = { proposer: 'tasks proposed', solver: 'rollouts committed', evaluator: 'votes committed' } as const
type Role = keyof typeof WORKS
const roles = Object.keys(WORKS) as Role[]
const WAITS = 'the data folder cannot be used; work waits'
const CONTINUES = 'the data folder can be used again; work continues'
const ROUND_SEC = 30
const STARTS_IN_SEC = 15
const ROUNDS_TO_WORK = 6

const root = mkdtempSync(join(tmpdir(), 'waggle-read-only-'))
const [image, disk, data, record] = ['disk.img', 'disk', 'data', 'deployment.json'].map(name => join(root, name)) as [
  string,
  string,
  string,
  string,
]
const run = (command: string, ...argv: string[]) => execFileSync(command, argv, { stdio: 'pipe' })
/** A disk of its own needs root and a loop device, which containers often lack, also those of CI. */
const canMount = (() => {
  try {
    run('truncate', '-s', '1G', image)
    run('mkfs.ext4', '-q', image)
    for (const folder of [disk, data]) mkdirSync(folder)
    run('mount', '-o', 'loop', image, disk)
    run('mount', '--bind', disk, data)
    return true
  } catch {
    console.warn('skipped: a disk of its own takes root and a loop device')
    rmSync(image, { force: true })
    return false
  }
})()

let local: LocalChain
let startsAtSec: number
let solverId: string
let solverAddress: string

beforeAll(async () => {
  local = await startLocalChain({ blockTimeSec: 1 })
  await local.client.setAutomine(true)
  const { hash } = (await loadEnvironments()).starter
  const deployment = await deployContracts(local, ROUND_SEC, hash, undefined, STARTS_IN_SEC)
  writeFileSync(record, JSON.stringify(deployment))
  const { rewardVotes, rounds } = contractsOf(deployment)
  startsAtSec = Number(await local.client.readContract({ ...rounds, functionName: 'startOf', args: [0n] }))
  for (const role of roles) {
    const identity = await openIdentity(join(data, role))
    await local.fund(identity.address)
    await registerPeers(local.rpcUrl, deployment, [identity])
    if (role === 'solver') solverId = identity.peerId
    if (role !== 'evaluator') continue
    const call = { ...rewardVotes, functionName: 'admitEvaluator', args: [identity.peerKey] } as const
    await local.mined(local.client.writeContract({ ...call, account: local.admin, chain: null }))
  }
  solverAddress = `/ip4/127.0.0.1/tcp/${await freePort()}`
  await local.client.setAutomine(false)
  await local.client.setIntervalMining({ interval: 1 })
})

afterAll(async () => {
  await local?.stop()
  for (const folder of [data, data, disk])
    try {
      run('umount', folder)
    } catch {
      // It is not mounted any more.
    }
  rmSync(image, { force: true })
})

type Peers = Record<Role, ReturnType<typeof startCli>>

/** Starts a peer of each role in its folder of the disk. */
function startPeers(): Peers {
  const start = (role: Role) => {
    const meets = role === 'solver' ? ['--listen', solverAddress] : ['--bootnode', `${solverAddress}/p2p/${solverId}`]
    const flags = ['--deployment', record, '--rpc', local.rpcUrl, ...meets]
    return startCli(['start', '--role', role, '--data', join(data, role), ...flags])
  }
  const peers: Peers = { proposer: start('proposer'), solver: start('solver'), evaluator: start('evaluator') }
  onTestFinished(async () => {
    await Promise.all(roles.map(role => peers[role].kill()))
  })
  return peers
}

const all = (peers: Peers, text: string) => Promise.all(roles.map(role => peers[role].said(text)))

/** Resolves once each role has worked for a round that nobody has begun to work for: proposers propose two rounds ahead. */
async function worksAgain(peers: Peers): Promise<void> {
  const { timestamp } = await local.client.getBlock()
  const first = Math.max(0, Math.floor((Number(timestamp) - startsAtSec) / ROUND_SEC)) + 3
  // A busy machine misses one.
  const rounds = Array.from({ length: ROUNDS_TO_WORK }, (_, at) => first + at)
  await Promise.all(
    roles.map(role => Promise.race(rounds.map(round => peers[role].line(WORKS[role], `round=${round}`)))),
  )
}

/** Resolves once the chain has advanced by this many seconds. */
async function passes(seconds: number): Promise<void> {
  const now = async () => Number((await local.client.getBlock()).timestamp)
  const endSec = (await now()) + seconds
  await expect.poll(now, { timeout: 10 * seconds * 1000, interval: 1_000 }).toBeGreaterThanOrEqual(endSec)
}

/** Stops all as a service does. @returns what each printed. */
async function stop(peers: Peers): Promise<string[]> {
  const ends = await Promise.all(roles.map(role => peers[role].stop()))
  expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(ends.map(() => ({ code: 0, stderr: '' })))
  return ends.map(({ stdout }) => stdout)
}

test('peers whose folder is mounted read-only wait, say so once, and continue when it is writable', {
  skip: !canMount,
}, async () => {
  const peers = startPeers()
  await worksAgain(peers)
  // Files that are open stay writable; the kernel refuses more while a process has some open.
  run('mount', '--bind', disk, data)
  run('mount', '-o', 'remount,ro,bind', data)
  await all(peers, WAITS)
  await passes(ROUND_SEC)
  run('umount', data)
  await all(peers, CONTINUES)
  await worksAgain(peers)
  for (const said of await stop(peers)) {
    expect(said.split(WAITS)).toHaveLength(2)
    expect(said).not.toContain('this round failed')
  }
})

test('peers whose disk turns read-only under their open files wait until they are stopped, and a start goes on', {
  skip: !canMount,
}, async () => {
  const peers = startPeers()
  await worksAgain(peers)
  // As ext4 does after a fault of the disk.
  run('mount', '-o', 'remount,abort', disk)
  await all(peers, WAITS)
  await passes(ROUND_SEC)
  for (const said of await stop(peers)) {
    expect(said.split(WAITS)).toHaveLength(2)
    expect(said).not.toContain('this round failed')
  }
  for (const folder of [data, disk]) run('umount', folder)
  run('mount', '-o', 'loop', image, disk)
  run('mount', '--bind', disk, data)
  const again = startPeers()
  await worksAgain(again)
  await stop(again)
})
