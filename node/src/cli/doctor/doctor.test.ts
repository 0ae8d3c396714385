import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ChainUnreachableError } from '#chain/chainErrors.ts'
import { createManualClock } from '#core/clock.ts'
import { ownRelease } from '#roles/release.ts'
import { CONNECTIONS } from '#roles/reports/reportConnections.ts'
import { openIdentity } from '#store/identity.ts'
import { createJournal } from '#store/journal.ts'
import { lockDataFolder } from '#store/lockDataFolder.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { takePort } from '../../../test/cliProcess.ts'
import { checkBootnodes, checkClock } from './checkChain.ts'
import { checkEndpoints } from './checkEndpoints.ts'
import { checkDisk, checkKeys, checkNode, checkPorts, isPeerRunning } from './checkMachine.ts'
import { checkReachability, checkRelease } from './checkPeer.ts'

const data = mkdtempSync(join(tmpdir(), 'waggle-doctor-'))
const loopback = (port: number) => `/ip4/127.0.0.1/tcp/${port}`

test('a Node that is too old is a failure', () => {
  expect(checkNode('20.20.2')).toMatchObject({ state: 'failure' })
  expect(checkNode('24.21.0', '/usr/bin/node')).toMatchObject({ state: 'ok', found: '24.21.0' })
  const bundled = '/waggle/node_modules/node/bin/node'
  expect(checkNode('24.21.0', bundled)).toMatchObject({ state: 'ok', found: '24.21.0 (bundled)' })
})

test('a clock behind the chain is a failure, a chain that stands still a warning', () => {
  expect(checkClock(1000, 998)).toMatchObject({ state: 'ok', found: 'the newest block is 2 s old' })
  expect(checkClock(1000, 1011)).toMatchObject({ state: 'failure', found: '11 s behind the newest block' })
  expect(checkClock(1000, 800)).toMatchObject({ state: 'warning' })
})

test('each of several endpoints is asked: one that does not work is a warning', async () => {
  const heads: Record<string, number> = { 'https://a.example/v2/key': 1_000, 'https://b.example': 999 }
  const readHead = async (url: string) => {
    if (heads[url] === undefined) throw new ChainUnreachableError('it is silent', { hint: '' })
    return heads[url]
  }
  const both = Object.keys(heads).join()
  expect(await checkEndpoints(both, readHead, 1_001)).toEqual({
    working: 'https://a.example, https://b.example',
    warnings: [],
  })
  heads['https://b.example'] = 800
  expect(await checkEndpoints(`${both},https://c.example`, readHead, 1_001)).toEqual({
    working: 'https://a.example',
    warnings: [
      expect.objectContaining({
        state: 'warning',
        found: "https://b.example: its newest block is 200 s older than another's",
      }),
      expect.objectContaining({ state: 'warning', found: 'https://c.example: it is silent' }),
    ],
  })
  heads['https://b.example'] = 9_000
  expect(await checkEndpoints(both, readHead, 1_001)).toEqual({
    working: 'https://a.example',
    warnings: [
      expect.objectContaining({ found: "https://b.example: its newest block is 8000 s newer than another's" }),
    ],
  })
  // All are ahead if it is this clock that is behind.
  heads['https://b.example'] = 999
  expect((await checkEndpoints(both, readHead, 1)).warnings).toEqual([])
})

test('keys that others can read are a failure, with what to run', () => {
  expect(checkKeys(data)).toMatchObject({ state: 'failure', found: `no peer in ${data}` })
  const file = join(data, 'peer.key')
  writeFileSync(file, 'key', { mode: 0o600 })
  expect(checkKeys(data)).toMatchObject({ state: 'ok' })
  chmodSync(file, 0o644)
  expect(checkKeys(data)).toMatchObject({ state: 'failure', advice: expect.stringContaining(`chmod 600 ${file}`) })
})

test('a disk with less space than the peer may take is a warning', async () => {
  expect(await checkDisk(join(data, 'not', 'made'), 2 ** 20)).toMatchObject({ state: 'ok' })
  expect(await checkDisk(data, 2 ** 60)).toMatchObject({ state: 'warning' })
})

test('a port that is held is a failure, unless the peer itself runs', async () => {
  const { port, server } = await takePort()
  expect(await checkPorts([loopback(port)], false)).toMatchObject({
    state: 'failure',
    found: expect.stringContaining('EADDRINUSE'),
  })
  expect(await checkPorts([loopback(port)], true)).toMatchObject({ state: 'ok' })
  expect(await checkBootnodes([loopback(port), loopback(1)])).toMatchObject({ found: '1 of 2 accept a connection' })
  server.close()
  expect(await checkPorts([loopback(port)], false)).toMatchObject({ state: 'ok' })
  expect(await checkPorts([loopback(0)], false)).toMatchObject({ state: 'warning' })
})

test('bootnodes that nobody reaches are a failure, none at all a warning', async () => {
  expect(await checkBootnodes([loopback(1)])).toMatchObject({ state: 'failure' })
  expect(await checkBootnodes(['no address', '/ip4/999.0.0.1/tcp/1'])).toMatchObject({ state: 'failure' })
  expect(await checkBootnodes([])).toMatchObject({ state: 'warning' })
})

test('a peer runs where its folder is locked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-doctor-'))
  expect(isPeerRunning(folder)).toBe(false)
  const lock = lockDataFolder(folder)
  expect(isPeerRunning(folder)).toBe(true)
  lock.release()
})

test('the release and the format of the folder are named', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-doctor-'))
  expect(checkRelease(folder).found).toBe(`${ownRelease()}, no folder of a peer yet`)
  await openIdentity(folder)
  expect(checkRelease(folder).found).toMatch(/^\d+\.\d+\.\d+, folder of format \d+$/)
})

test('a running peer that other networks do not reach is a warning, with what to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-doctor-'))
  const nowMs = 1_000_000
  expect(checkReachability(folder, nowMs, false)).toMatchObject({
    state: 'ok',
    found: expect.stringContaining('not known'),
  })
  const db = openDatabase(join(folder, JOURNAL_FILE))
  const note = (reachability: { by: string; publicAddresses: string[] }) =>
    createJournal(db, createManualClock()).setState(CONNECTIONS, { peers: 3, alone: null, reachability, atMs: nowMs })
  note({ by: 'direct', publicAddresses: ['/ip4/203.0.113.7/tcp/4001'] })
  expect(checkReachability(folder, nowMs, false)).toMatchObject({
    state: 'ok',
    found: 'directly, at /ip4/203.0.113.7/tcp/4001',
  })
  note({ by: 'relay', publicAddresses: [] })
  expect(checkReachability(folder, nowMs, false)).toMatchObject({ state: 'ok', found: 'through a relay' })
  note({ by: 'nothing', publicAddresses: [] })
  expect(checkReachability(folder, nowMs, false)).toMatchObject({
    state: 'warning',
    advice: expect.stringContaining('--upnp'),
  })
  expect(checkReachability(folder, nowMs + 600_000, false).found).toContain('not known')
  db.close()
  writeFileSync(join(folder, JOURNAL_FILE), 'no database '.repeat(500))
  expect(checkReachability(folder, nowMs, false)).toMatchObject({ state: 'failure' })
})
