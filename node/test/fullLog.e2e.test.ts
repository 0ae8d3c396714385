import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadEnvironments } from '#environments/builtIn.ts'
import { openIdentity } from '#store/identity.ts'
import { freePort } from '../../scripts/base/freePorts.ts'
import { deployContracts, startLocalChain } from './localChain.ts'

/** A disk without space: Linux has it. */
const FULL = '/dev/full'
const main = join(import.meta.dirname, '../src/cli/main.ts')

test.skipIf(!existsSync(FULL)).each([
  ['standard output', /^The log is not written, because its disk is full\..*\n$/],
  ['both outputs', /^$/],
])('a peer with %s on a full disk starts, runs and stops, and says so once where it can', async (which, says) => {
  const local = await startLocalChain()
  onTestFinished(() => local.stop())
  const deployment = await deployContracts(local, 100_000, (await loadEnvironments()).starter.hash)
  const root = mkdtempSync(join(tmpdir(), 'waggle-full-log-'))
  const [data, record] = [join(root, 'peer'), join(root, 'deployment.json')]
  writeFileSync(record, JSON.stringify(deployment))
  await local.fund((await openIdentity(data)).address)
  const listen = ['--listen', '/ip4/127.0.0.1/tcp/0', '--http', `${await freePort()}`, '--log-file']
  const flags = ['--data', data, '--deployment', record, '--rpc', local.rpcUrl]
  const full = openSync(FULL, 'w')
  const peer = spawn(process.execPath, [main, 'start', '--role', 'gateway', ...listen, ...flags], {
    stdio: ['ignore', full, which === 'both outputs' ? full : 'pipe'],
  })
  closeSync(full)
  const ended = once(peer, 'close')
  let stderr = ''
  peer.stderr?.on('data', chunk => {
    stderr += chunk
  })
  const file = join(data, 'log', 'waggle.log')
  const logged = () => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  const state = () => (peer.exitCode === null ? logged() : `ended: ${stderr}`)
  await expect.poll(state, { timeout: 60_000 }).toMatch(/started role=gateway|^ended/)
  expect(state()).toContain('started role=gateway')
  peer.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(stderr).toMatch(says)
})
