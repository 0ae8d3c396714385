import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createLogger, silentLogger } from '#core/logger.ts'
import { countJudged } from '../gateway/judgeCounts.ts'
import type { CanaryPoint } from '../reports/canaryPoint.ts'
import type { JudgeCounts } from '../roleCounts.ts'
import { encodeFileVersion, encodeScalars } from './eventFile.ts'
import { serveMetrics } from './observePeer.ts'
import { passByDataset, passByFamily, passByLevel, passByPeer, passByProposer } from './passByLevel.ts'
import { createPeerMetrics, type MetricSources } from './peerMetrics.ts'
import { createTrainingLog, stepScalars, type TrainingStep } from './trainingLog.ts'
import type { PeerState } from './watchPeer.ts'

const step: TrainingStep = {
  ...{
    groups: 4,
    groupsUsed: 3,
    ownGroups: 4,
    reward: 0.5,
    passAt1: 0.25,
    validShare: null,
    loss: 0.1,
    kl: null,
    entropy: 1.5,
  },
  ...{ clipFraction: null, gradientNorm: 2, learningRate: 1e-3, completionTokens: 12, tokens: 900, seconds: 3 },
  ...{ peer: null, failure: null, others: null },
  levels: passByLevel([{ task: { level: 3 }, correctness: [1, 0, 0, 0] }]),
  proposers: passByProposer([{ task: { ref: { peerKey: '0xaa' } }, correctness: [1, 0, 0, 0] }]),
  families: passByFamily([{ task: {}, family: 'logic', correctness: [1, 0, 0, 0] }]),
  datasets: passByDataset([{ task: {}, dataset: 'mbpp', correctness: [1, 0, 0, 0] }]),
  peers: passByPeer([{ task: {}, correctness: [1, 0, 0, 0] }]),
}
const canary: CanaryPoint = {
  ...{
    round: 7,
    peerId: 'a',
    peerKey: '0xaa',
    name: 'amber',
    reward: 0.5,
    predicted: 0.4,
    passAt1: 0.25,
    tasks: 5,
    samples: 10,
  },
  judge: { truePositives: 3, falsePositives: 1, falseNegatives: 1, trueNegatives: 3, calibrationError: 0.125 },
}
const theirs = { task: {}, peerKey: '0xbb', correctness: [1, 0, 0, 0] }
const ofTheirs = { ...step, ownGroups: 0, peer: '0xbb', peers: passByPeer([theirs]), failure: 'too far' }
const state: PeerState = {
  ...{ role: 'solver', round: 7, pastRoundSec: -5, roundSec: 20, connectedPeers: 3, aloneReason: null, advice: null },
  ...{ reachableBy: 'direct', publicAddresses: 2 },
  ...{ balanceEth: 1.5, pointsMilli: 2500, freeBytes: 1e9, chainAgeSec: 1, twin: null, workerRestart: null },
}

function sources(now = state): MetricSources {
  const node = {
    chain: {
      client: { rpcCounts: () => ({ calls: 9, errors: 1 }) },
      sentCounts: () => new Map([['commit-votes mined', 2]]),
    },
    network: {
      status: () => ({ known: { members: 4, strangers: 1 }, refused: { full: 0, strangers: 2, host: 0, subnet: 0 } }),
    },
    fetchCounts: () => ({ fetched: 5, bytes: 640, faults: { unavailable: 1 } }),
    appealCounts: new Map([['upheld', 1]]),
    workerRestarts: { counts: () => new Map([['hung', 1]]) },
    judgeCounts: judgedOf({ truePositives: 5, falsePositives: 2, falseNegatives: 0, trueNegatives: 9 }),
    newestCanaries: [canary],
    auditCounts: new Map([
      ['rounds', 3],
      ['wrong', 1],
    ]),
    training: {
      latest: () => ({ own: step, others: null }),
      latestOfPeers: () => new Map(passByPeer([theirs]).map(one => [one.peer, one])),
      totals: () => ({ steps: 2, failed: 1, tokens: 1800, seconds: 6 }),
    },
  } as unknown as MetricSources['node']
  return { node, watch: { state: () => now, refresh: async () => {} } }
}

function judgedOf(found: Parameters<typeof countJudged>[1]): JudgeCounts {
  const counts: JudgeCounts = new Map()
  countJudged(counts, found)
  return counts
}

test('counters of a peer are reported in metrics whose names end in units, twice the same', async () => {
  const registry = createPeerMetrics(sources())
  const text = await registry.metrics()
  for (const line of [
    'waggle_round 7',
    'waggle_round_elapsed_ratio 0.75',
    'waggle_connected_peers 3',
    'waggle_known_peers 5',
    'waggle_public_addresses 2',
    'waggle_points 2.5',
    'waggle_account_balance_ether 1.5',
    'waggle_rpc_calls_total 9',
    'waggle_rpc_errors_total 1',
    'waggle_payload_faults_total{fault="unavailable"} 1',
    'waggle_appeals_total{outcome="upheld"} 1',
    'waggle_judged_answers_total{judge="right",execution="wrong"} 2',
    'waggle_judged_answers_total{judge="wrong",execution="right"} 0',
    'waggle_judge_balanced_accuracy_ratio 0.75',
    'waggle_judge_calibration_error_ratio 0.125',
    'waggle_audited_rounds_total 3',
    'waggle_audited_scores_total{result="wrong"} 1',
    'waggle_worker_restarts_total{reason="hung"} 1',
    'waggle_connections_refused_total{reason="strangers"} 2',
    'waggle_transactions_total{kind="commit-votes",outcome="mined"} 2',
    'waggle_training_entropy_nats_per_token{groups="own"} 1.5',
    'waggle_training_level_pass_at_1_ratio{groups="own",level="3"} 0.25',
    'waggle_training_level_pass_at_k_ratio{groups="own",level="3"} 1',
    `waggle_training_level_pass_at_1_high_ratio{groups="own",level="3"} ${step.levels[0]?.passAt1.high}`,
    'waggle_training_proposer_pass_at_1_ratio{groups="own",proposer="0xaa"} 0.25',
    'waggle_training_family_pass_at_1_ratio{groups="own",family="logic"} 0.25',
    'waggle_training_dataset_pass_at_1_ratio{groups="own",dataset="mbpp"} 0.25',
    'waggle_training_peer_pass_at_1_ratio{peer="0xbb"} 0.25',
    'waggle_training_peer_pass_at_k_ratio{peer="0xbb"} 1',
    'waggle_training_peer_average_at_k_ratio{peer="0xbb"} 0.25',
    `waggle_training_peer_pass_at_1_low_ratio{peer="0xbb"} ${step.levels[0]?.passAt1.low}`,
    `waggle_training_level_average_at_k_high_ratio{groups="own",level="3"} ${step.levels[0]?.averageAtK.high}`,
    'waggle_training_tokens_total 1800',
  ])
    expect(text.split('\n')).toContain(line)
  expect(text).not.toMatch(/kl_nats_per_token\{/)
  expect(text).toContain('nodejs_eventloop_lag_p99_seconds')
  const ours = (all: string) => all.split('\n').filter(line => line.startsWith('waggle_'))
  expect(ours(await registry.metrics())).toEqual(ours(text))
})

test('every metric of the dashboard exists', async () => {
  const file = join(import.meta.dirname, '../../../../deployments/grafana/waggle-peer.json')
  const queries = [...readFileSync(file, 'utf8').matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(match => match[1] ?? '')
  const asked = queries.flatMap(query => query.match(/\b(?:waggle|nodejs|process)_[a-z0-9_]+/g) ?? [])
  const names = new Set(
    createPeerMetrics(sources())
      .getMetricsAsArray()
      .map(({ name }) => name),
  )
  expect(asked.length).toBeGreaterThan(20)
  expect(asked.filter(name => !names.has(name))).toEqual([])
})

test('health and readiness answer by their status', async () => {
  const registry = createPeerMetrics(sources())
  const pages = { registry, health: () => ({ ok: true, round: 7 }), ready: () => ({ ok: false, missing: ['peers'] }) }
  const bind = '127.0.0.1'
  const server = await serveMetrics({ port: 0, bind }, pages, silentLogger)
  const { address, port } = server.address() as AddressInfo
  expect(address).toBe('127.0.0.1')
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    return { status: response.status, type: response.headers.get('content-type'), body: await response.text() }
  }
  expect(await ask('/health')).toMatchObject({ status: 200, body: '{"ok":true,"round":7}\n' })
  expect(await ask('/ready')).toMatchObject({ status: 503, body: '{"ok":false,"missing":["peers"]}\n' })
  expect(await ask('/metrics')).toMatchObject({ status: 200, type: expect.stringContaining('version=0.0.4') })
  expect(await ask('/')).toMatchObject({ status: 404 })
  expect(await ask('/metrics', { method: 'POST' })).toMatchObject({ status: 404 })
  const status = (host: string) =>
    new Promise(resolve => {
      get({ host: '127.0.0.1', port, path: '/health', headers: { host } }, ({ statusCode }) => resolve(statusCode))
    })
  // Headers of a page whose name resolves to loopback.
  expect([await status(`localhost:${port}`), await status('rebound.example')]).toEqual([200, 421])
  const taken = serveMetrics({ port, bind }, pages, silentLogger)
  await expect(taken).rejects.toMatchObject({ code: 'METRICS_PORT' })
  server.closeAllConnections()
  server.close()
})

test('a crowd of silent connections keeps nobody from the health of a peer', async () => {
  const pages = { registry: createPeerMetrics(sources()), health: () => ({ ok: true }), ready: () => ({ ok: true }) }
  const server = await serveMetrics({ port: 0, bind: '127.0.0.1' }, pages, silentLogger)
  const { port } = server.address() as AddressInfo
  const crowd = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      await once(socket, 'connect')
      return socket
    }),
  )
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200)
  for (const socket of crowd) socket.destroy()
  server.closeAllConnections()
  server.close()
})

test('on an address other than loopback a scraper may use any name of the machine', async () => {
  const pages = { registry: createPeerMetrics(sources()), health: () => ({ ok: true }), ready: () => ({ ok: true }) }
  const server = await serveMetrics({ port: 0, bind: '0.0.0.0' }, pages, silentLogger)
  const { port } = server.address() as AddressInfo
  const status = new Promise(resolve => {
    const headers = { host: `peer:${port}` }
    get({ host: '127.0.0.1', port, path: '/metrics', headers }, response => {
      resolve(response.statusCode)
      response.resume()
    })
  })
  expect(await status).toBe(200)
  const elsewhere = serveMetrics({ port: 0, bind: '203.0.113.7' }, pages, silentLogger)
  await expect(elsewhere).rejects.toMatchObject({
    code: 'METRICS_PORT',
    hint: expect.stringContaining('--metrics-bind'),
  })
  server.closeAllConnections()
  server.close()
})

test('each update is a line of JSON and an event of TensorBoard in the folder, and a line of the log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-training-'))
  const lines: string[] = []
  const clock = createManualClock(1_700_000_000_000)
  const logger = createLogger({ write: line => lines.push(line), format: 'json', level: 'info', clock })
  const log = createTrainingLog({ folder, round: () => 7, clock, logger })
  expect(readdirSync(folder)).toEqual([])
  log.note(step)
  log.note(ofTheirs)
  await log.close()
  const written = readFileSync(join(folder, 'training.jsonl'), 'utf8').trimEnd().split('\n')
  expect(written.map(line => JSON.parse(line))).toEqual([
    { at: '2023-11-14T22:13:20.000Z', round: 7, ...step },
    { at: '2023-11-14T22:13:20.000Z', round: 7, ...ofTheirs },
  ])
  const own = stepScalars(step)
  expect(own).toMatchObject({ 'own/reward': 0.5, 'own/kept': 1, 'own level 3/pass@1': 0.25, 'own level 3/pass@4': 1 })
  expect(own).toMatchObject({
    'own proposer 0xaa/average@4': 0.25,
    'own family logic/pass@1': 0.25,
    'own dataset mbpp/pass@1': 0.25,
  })
  expect(Object.keys(own)).not.toContain('own/kl') // not measured
  const others = stepScalars(ofTheirs)
  expect(others).toMatchObject({
    'others/reward': 0.5,
    'others/kept': 0,
    'peer 0xbb/pass@1': 0.25,
    'peer 0xbb/pass@4': 1,
  })
  expect([...log.latestOfPeers().keys()]).toEqual(['own', '0xbb'])
  const events = [own, others].map(scalars => encodeScalars(1_700_000_000, 7, scalars))
  expect(readFileSync(join(folder, 'tensorboard/events.out.tfevents.1700000000'))).toEqual(
    Buffer.concat([encodeFileVersion(1_700_000_000), ...events]),
  )
  expect(lines.map(line => JSON.parse(line).message)).toEqual(['update', 'update'])
  expect(log.latest()).toMatchObject({ own: step, others: { ownGroups: 0 } })
  expect(log.totals()).toEqual({ steps: 2, failed: 1, tokens: 1800, seconds: 6 })
})

test('an update on own groups and on those of others has the figures of each under their own label, and its loss under both', async () => {
  const levels = passByLevel([{ task: { level: 3 }, correctness: [1, 1, 1, 1] }])
  const others = {
    ...{ levels, proposers: [], families: [], datasets: [] },
    ...{ reward: 1, passAt1: 1, entropy: null, completionTokens: 9 },
  }
  const mixed = { ...step, groups: 16, loss: 0.3, others }
  const scalars = stepScalars(mixed)
  expect(scalars).toMatchObject({
    ...{ 'own/reward': 0.5, 'own level 3/pass@1': 0.25, 'own/entropy': 1.5, 'own/loss': 0.3 },
    ...{ 'others/reward': 1, 'others level 3/pass@1': 1, 'others/loss': 0.3 },
  })
  expect(Object.keys(scalars)).not.toContain('others/entropy')
  const folder = mkdtempSync(join(tmpdir(), 'waggle-training-'))
  const log = createTrainingLog({ folder, round: () => 7, clock: createManualClock(), logger: silentLogger })
  log.note(mixed)
  await log.close()
  expect(log.latest()).toMatchObject({ own: { reward: 0.5 }, others: { reward: 1, loss: 0.3, entropy: null, levels } })
})

test('groups without a gradient make no update, and one that threw is counted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-training-'))
  const log = createTrainingLog({ folder, round: () => 7, clock: createManualClock(), logger: silentLogger })
  const nothing = { ...step, groupsUsed: 0, loss: null, tokens: 0, seconds: 0 }
  log.note(nothing)
  expect(log.totals()).toMatchObject({ steps: 0, failed: 0 })
  expect(stepScalars(nothing)).toMatchObject({ 'own/kept': 0, 'own/reward': 0.5 })
  log.note({ ...nothing, failure: 'the update failed' })
  expect(log.totals()).toMatchObject({ steps: 1, failed: 1 })
  await log.close()
})
