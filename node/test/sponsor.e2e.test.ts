import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StatementSync } from 'node:sqlite'
import { generateKeyPair, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { contractsOf } from '#chain/contracts.ts'
import { signForSponsor } from '#chain/peers/sponsorRegistration.ts'
import { createChainReads } from '#chain/reads.ts'
import { createRoundClock } from '#chain/rounds/roundClock.ts'
import { commitRollouts } from '#chain/work/commitments.ts'
import { systemClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { loadEnvironments } from '#environments/builtIn.ts'
import { openAccountSession } from '#roles/accountSession.ts'
import { runSponsor } from '#roles/sponsor/runSponsor.ts'
import { sponsorSettingsSchema } from '#roles/sponsor/sponsorSettings.ts'
import { type Identity, openIdentity } from '#store/identity.ts'
import { callCli } from './callCli.ts'
import { runCli, startCli } from './cliProcess.ts'
import { deployContracts, startLocalChain } from './localChain.ts'

const root = mkdtempSync(join(tmpdir(), 'waggle-sponsor-'))
const ROUND_SECONDS = 8
/** Registered before round 0, a key counts from it on. */
const STARTS_IN_SEC = 12
const word = (byte: number): Hex => `0x${byte.toString(16).padStart(64, '0')}`

let local: Awaited<ReturnType<typeof startLocalChain>>
let deployment: Awaited<ReturnType<typeof deployContracts>>
let sponsor: ReturnType<typeof startCli>
let url: string
let env: Record<string, string>

beforeAll(async () => {
  local = await startLocalChain()
  const { hash } = (await loadEnvironments()).starter
  deployment = await deployContracts(local, ROUND_SECONDS, hash, undefined, STARTS_IN_SEC)
  await local.client.setIntervalMining({ interval: 1 })
  const record = join(root, 'deployment.json')
  writeFileSync(record, JSON.stringify(deployment))
  env = { WAGGLE_RPC_URL: local.rpcUrl, WAGGLE_DEPLOYMENT: record, WAGGLE_SPONSOR_TOKEN: 'an invitation of few' }
  await local.fund((await openIdentity(join(root, 'sponsor'))).address as Hex)
  const argv = ['sponsor', '--data', join(root, 'sponsor'), '--http', '0', '--hourly', '3', '--rounds', '30']
  sponsor = startCli([...argv, '--budget', '1', '--peer-budget', '0.5', '--log-format', 'json'], env)
  url = JSON.parse(await sponsor.line('sponsor started')).url
})

afterAll(async () => {
  await sponsor?.stop()
  await local?.stop()
})

const balanceOf = ({ address }: Identity) => local.client.getBalance({ address: address as Hex })

/** A peer's request, with changes. */
async function requestOf(identity: Identity, changes: object = {}): Promise<object> {
  const { signer, accountKey, address, peerId } = identity
  if (signer === null) throw new Error('no signer')
  const { timestamp } = await local.client.getBlock()
  const registration = { account: address as Hex, nonce: 0n, deadlineSec: Number(timestamp) + 3_600 }
  const signed = await signForSponsor(contractsOf(deployment), signer, accountKey, registration)
  return { ...signed, nonce: 0, peerId, token: 'an invitation of few', ...changes }
}

async function post(body: object, sponsorUrl = url) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${sponsorUrl}/v1/sponsor`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { code: response.status, ...((await response.json()) as { status?: string; error?: string }) }
}

test('a peer without funds joins, commits, and has gas for as long as it works', async () => {
  const data = join(root, 'poor')
  const identity = await openIdentity(data)
  expect(await balanceOf(identity)).toBe(0n)
  const secret = url.replace('//', '//peer:hunter2@')
  const joining = ['join', '--data', data, '--listen', '/ip4/127.0.0.1/tcp/0', '--sponsor', secret, '--threads', '1']
  // A line, and at once the signal.
  const onUsr2 = `process.on('SIGUSR2',()=>{console.log('unread');process.kill(process.pid,'SIGINT')})`
  const peer = startCli(joining, {
    ...env,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(onUsr2)}`,
  })
  await peer.line('started', identity.peerId)
  expect(await peer.line('funds')).toContain(` ${url},`)
  // Ctrl-C ends a reader such as `tee`, too.
  peer.stopReading()
  process.kill(peer.pid as number, 'SIGUSR2')
  expect(await peer.exited).toMatchObject({ code: 0, stderr: '' })
  const credit = await balanceOf(identity)
  expect(credit).toBeGreaterThan(0n)
  const found = JSON.parse((await callCli(['status', '--data', data, '--json'], env)).stdout)
  expect(found).toMatchObject({ registered: true, sponsor: { url, problem: null, standing: { workedRound: null } } })
  const { findings } = JSON.parse((await callCli(['doctor', '--data', data, '--json'], env)).stdout)
  expect(findings).toContainEqual({ check: 'sponsor', state: 'ok', found: expect.stringMatching(`^${url} paid 0\\.0`) })

  // It pays for its commitment out of the credit, and is supplied for that in the next round.
  await commit(data, identity)
  const sent = JSON.parse(await sponsor.line('sent gas to a peer', identity.peerKey, '"due":"work"'))
  expect(sent.outcome).toBe('mined')
  expect(await balanceOf(identity)).toBeGreaterThan(2n * credit)
  const line = (await callCli(['status', '--data', data], env)).stdout
  expect(line).toMatch(/sponsor {4}http.* paid 0\.\d+ in 24 hours, 0\.\d+ are left; worked in round \d/)
}, 120_000)

test('requests that nobody signed, that were sent before, or that are one too many cost the sponsor nothing', async () => {
  mkdirSync(join(root, 'b'))
  writeFileSync(join(root, 'b', 'swarm.pem'), privateKeyToProtobuf(await generateKeyPair('RSA', 2048)))
  const [identity, other] = [await openIdentity(join(root, 'a')), await openIdentity(join(root, 'b'))]
  const late = await openIdentity(join(root, 'c'))
  const request = await requestOf(identity)
  expect(await post({ ...request, token: 'a guess' })).toMatchObject({ code: 403 })
  expect(await post({ ...request, token: undefined })).toMatchObject({ code: 403 })
  expect(await post({ ...request, account: other.address })).toMatchObject({
    code: 422,
    error: expect.stringMatching(/not signed/),
  })
  expect(await post({ ...request, deadlineSec: 5 })).toMatchObject({ code: 422 })
  expect(await post({ ...request, peerId: other.peerId })).toMatchObject({
    code: 422,
    error: expect.stringMatching(/another peer id/),
  })
  const forged = { ...request, signature: ((await requestOf(late)) as { signature: Hex }).signature }
  expect(await post(forged)).toMatchObject({ code: 422, error: expect.stringMatching(/PeerRegistry_WrongSigner/) })
  const nonce = await local.client.getTransactionCount({
    address: (await openIdentity(join(root, 'sponsor'))).address as Hex,
  })

  // A hundred of the same are one registration.
  const answers = await Promise.all(Array.from({ length: 100 }, () => post(request).catch(() => null)))
  const codes = answers.flatMap(answer => (answer === null ? [] : [answer.code]))
  expect(codes.filter(code => code === 202).length).toBeGreaterThan(0)
  expect(codes.every(code => [200, 202, 503].includes(code))).toBe(true)
  await sponsor.line('sent gas to a peer', identity.peerKey)
  expect(await post(request)).toMatchObject({ code: 200, status: 'registered' })
  const { client } = local
  expect(
    await client.getTransactionCount({ address: (await openIdentity(join(root, 'sponsor'))).address as Hex }),
  ).toBe(nonce + 2)

  expect(await post(await requestOf(other))).toMatchObject({ code: 202 })
  await sponsor.line('registered a peer', other.peerKey)
  expect(await post(await requestOf(late))).toMatchObject({ code: 429 })
  // A file that cannot be replaced, as if it were mounted: no name next to it may be longer.
  const target = join(root, 'c', `${'c'.repeat(250)}.yaml`)
  writeFileSync(target, '{ log-file: true }')
  symlinkSync(target, join(root, 'c', 'waggle.yaml'))
  const start = ['join', '--data', join(root, 'c'), '--role', 'solver']
  const joining = await runCli([...start, '--sponsor', url], env)
  expect(joining).toMatchObject({
    code: 75,
    stdout: expect.stringMatching(/^settings {2}not kept: .*waggle\.yaml cannot be written \(ENAMETOOLONG\)\.$/m),
    stderr: expect.stringMatching(/refuses \(429\): no registration is left.*\[SPONSOR\]/),
  })
  const inClear = await runCli([...start, '--sponsor', 'http://sponsor.invalid:3010'], env)
  expect(inClear).toMatchObject({ code: 1, stderr: expect.stringMatching(/sponsor.invalid:3010 without encryption/) })
})

test('a sponsor whose disk turns read-only waits for it, says so, and goes on', async () => {
  const data = join(root, 'on-a-bad-disk')
  await local.fund((await openIdentity(data)).address as Hex)
  const said: { message: string; url?: unknown }[] = []
  const note = (message: string, fields = {}) => void said.push({ ...fields, message })
  const stop = new AbortController()
  const done = runSponsor({
    ...{ data, deployment, rpcUrl: local.rpcUrl, invitation: undefined, clock: systemClock, signal: stop.signal },
    settings: sponsorSettingsSchema.parse({ http: 0 }),
    openLogger: () => ({ ...silentLogger, error: note, warn: note, info: note }),
  })
  const says = (message: string) => expect.poll(() => said).toContainEqual(expect.objectContaining({ message }))
  await says('sponsor started')
  // Its registration of a peer is on its way.
  await local.client.setIntervalMining({ interval: 0 })
  const request = await requestOf(await openIdentity(join(root, 'd')), { token: undefined })
  expect(await post(request, said.find(({ message }) => message === 'sponsor started')?.url as string)).toMatchObject({
    code: 202,
  })
  const writes = vi.spyOn(StatementSync.prototype, 'run')
  writes.mockImplementation(() => {
    throw Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 })
  })
  await local.client.setIntervalMining({ interval: 1 })
  await says('the data folder cannot be used; work waits')
  writes.mockRestore()
  await says('the data folder can be used again; work continues')
  await says('registered a peer')
  stop.abort()
  await done
})

/** Commits to rollouts from the peer's own account, as its solver does. */
async function commit(data: string, identity: Identity): Promise<void> {
  const session = await openAccountSession({ data, deployment, rpcUrl: local.rpcUrl, identity })
  const rounds = createRoundClock(session.client, session.contracts)
  const reads = createChainReads(session.client, session.contracts)
  const { peerKey } = identity
  const work = { peerKey, root: word(1), count: 8, policyHash: word(2), contentId: word(3) }
  try {
    for (let from = (await reads.readCountsFrom(peerKey)) ?? 0; ; from++) {
      const { round } = await rounds.waitFor(from, AbortSignal.timeout(60_000))
      // A busy machine may miss one.
      const sent = await session.send(commitRollouts(session.contracts, { round, ...work })).catch(() => null)
      if (sent !== null) return
    }
  } finally {
    await session.close()
  }
}
