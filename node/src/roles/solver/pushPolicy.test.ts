import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createLogger } from '#core/logger.ts'
import { createHubClient } from '#hub/hubClient.ts'
import { startTestHub, TEST_REPO } from '#hub/testHub.ts'
import { formatDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { hashWeights, writeWeights } from '#model/decoder/weights.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { noteCanaryPoint, readCanaryPoints } from './provenance.ts'
import { createPusher } from './pushPolicy.ts'

const TOKEN = 'hf_secretSecretSecret'

async function setUp() {
  const hub = await startTestHub({}, TOKEN)
  const data = await mkdtemp(join(tmpdir(), 'waggle-push-'))
  onTestFinished(async () => {
    await hub.close()
    await rm(data, { recursive: true })
  })
  const policyFolder = join(data, 'policy')
  await mkdir(policyFolder)
  await writeFile(join(policyFolder, 'adapter_config.json'), '{"r":4}')
  const solverFolder = join(data, 'base')
  await mkdir(solverFolder)
  await writeFile(join(solverFolder, 'config.json'), JSON.stringify(formatDecoderConfig(tinyConfig)))
  await writeWeights(join(solverFolder, 'model.safetensors'), tinyWeights(), 'F32')
  const clock = createManualClock()
  const journal = createJournal(openDatabase(':memory:'), clock)
  const said: string[] = []
  const logger = createLogger({ write: line => said.push(line), format: 'json', level: 'info', clock })
  const node = {
    ...{ journal, logger, identity: { name: 'brave amber bee', peerId: '16Uiu2', peerKey: '0x11' } },
    ...{ environment: { spec: { name: 'reasoning' }, hash: '0x22', solverFolder } },
    chain: { readPoints: async () => 2_500 },
  } as unknown as Parameters<typeof createPusher>[0]
  const client = createHubClient({ url: hub.url, token: TOKEN, clock })
  const settings = { client, repo: TEST_REPO, every: 3, network: 'sepolia' }
  const start = (baseModel: string | null = 'bees/base') =>
    createPusher(node, { ...settings, baseModel }, { data, policyFolder })
  const commits = () => hub.seen.filter(({ path }) => path.includes('/commit/')).length
  const pushed = (name: string) => hub.committed.get(name)?.toString()
  const learned = async (pusher: ReturnType<typeof start>, round: number) => {
    await writeFile(join(policyFolder, 'adapter_model.safetensors'), `round ${round}`)
    await pusher.learned(round)
    await pusher.settled()
  }
  return { hub, journal, said, start, commits, pushed, learned }
}

test('A policy is pushed every few rounds, over restarts too, with where it comes from.', async () => {
  const { journal, start, commits, pushed, learned } = await setUp()
  noteCanaryPoint(journal, { round: 0, reward: 0.25, correctness: 0.125 })
  const first = start()
  for (const round of [10, 11, 12]) await learned(first, round)
  expect(commits()).toBe(0)
  await learned(first, 13)
  expect([commits(), pushed('adapter_model.safetensors')]).toEqual([1, 'round 13'])
  const card = pushed('README.md') ?? ''
  for (const part of ['base_model: bees/base', '0x22', 'brave amber bee', '| 2.5 |', '| 0 | 0.250 | 0.125 |'])
    expect(card).toContain(part)
  expect(card).toContain("npx waggle audit --network sepolia --round 13 --peer 'brave amber bee'")

  const second = start()
  for (const round of [13, 14, 15]) await learned(second, round)
  expect(commits()).toBe(1)
  await learned(second, 16)
  expect([commits(), pushed('adapter_model.safetensors')]).toEqual([2, 'round 16'])
})

test('The card of a policy whose base is not on the hub names the base by the hash of its weights.', async () => {
  const { start, pushed, learned } = await setUp()
  const pusher = start(null)
  for (const round of [1, 4]) await learned(pusher, round)
  const card = pushed('README.md') ?? ''
  expect(card).not.toContain('base_model')
  expect(card).toContain(`| base model, hash of its weights | \`${hashWeights(tinyWeights())}\` |`)
})

test('A hub that refuses costs no round: the next one pushes what is newest, and the token is in no line.', async () => {
  const { hub, said, start, commits, pushed, learned } = await setUp()
  const pusher = start()
  await learned(pusher, 1)
  hub.intercept = (_, response) => {
    response.writeHead(403)
    response.end(TOKEN)
    return true
  }
  await learned(pusher, 4)
  expect(said.join()).toContain('policy not pushed')
  hub.intercept = undefined
  await learned(pusher, 5)
  expect([commits(), pushed('adapter_model.safetensors')]).toEqual([1, 'round 5'])
  expect(said.join()).not.toContain('hf_')
})

test('While an upload is under way the policy learns on, and the copy stays as it was.', async () => {
  const { hub, start, commits, pushed, learned } = await setUp()
  const pusher = start()
  await learned(pusher, 1)
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  hub.intercept = (_, response) => {
    hub.intercept = undefined
    held.resolve()
    void released.promise.then(() => response.writeHead(404).end())
    return true
  }
  const uploading = learned(pusher, 4)
  await held.promise
  await pusher.learned(5)
  released.resolve()
  await uploading
  expect([commits(), pushed('adapter_model.safetensors')]).toEqual([1, 'round 4'])
})

test('Points of the held-out set are kept in order, the newest hundred, one a round.', async () => {
  const journal = createJournal(openDatabase(':memory:'), createManualClock())
  for (let round = 0; round < 120; round += 1) noteCanaryPoint(journal, { round, reward: 0, correctness: 0 })
  noteCanaryPoint(journal, { round: 119, reward: 1, correctness: 1 })
  const points = readCanaryPoints(journal)
  expect([points.length, points[0]?.round, points.at(-1)]).toEqual([100, 20, { round: 119, reward: 1, correctness: 1 }])
})
