import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { parseSpec } from '#environments/builtIn.ts'
import { describeTokenizer } from '#environments/chatTokenizer.ts'
import { examples, small, solverMessage } from '#environments/reasoning/kind.ts'
import { createCompletionServer } from '#hub/chatServer/completionServer.ts'
import { parseServerUrl } from '#hub/chatServer/serverAddress.ts'
import { importGguf } from '#model/gguf/importGguf.ts'
import { smolModel } from '../../scripts/experiment/smolModel.ts'
import { type LiveSwarm, startLiveSwarm } from './liveSwarm.ts'
import { startLlamaServer } from './llamaServer.ts'

/** Kept, as that of the other test of this server: 130 MB of packages, and 540 MB of the model in float32. */
const kept = join(import.meta.dirname, '../../.waggle/real-server')
const model = join(kept, 'SmolLM2-135M-Instruct')

let server: Awaited<ReturnType<typeof startLlamaServer>>
let swarm: LiveSwarm
afterAll(async () => {
  await swarm?.stop()
  await server?.close()
})

/** Specification of the preset with fewer questions: those of one round are answered in half a minute. */
async function spec() {
  const { tokenizerHash, vocabSize } = await describeTokenizer(model)
  return parseSpec({
    ...small,
    ...{ bases: null, tasksPerRound: 4, owedLeaves: 32, sampledLeaves: 8, canary: { ...small.canary, tasks: 2 } },
    prompts: { format: 'chat', tokenizerHash, vocabSize, solver: solverMessage, examples },
  })
}

test("in a swarm on a local chain a solver's answers are sampled by llama.cpp's server: it draws tasks by the beacon, learns in each round, says why it is not paid, and commits nothing", async () => {
  const gguf = await smolModel(kept)
  if (!existsSync(model)) await importGguf(gguf, model)
  server = await startLlamaServer(gguf, kept)
  const sampler = createCompletionServer({ address: parseServerUrl(server.url, false), clock: systemClock })
  swarm = await startLiveSwarm({ chat: { spec: await spec(), modelFolder: model, judgeFolder: null } })
  const peer = await swarm.newPeer('served')
  // Each round stays until its answers are learned from.
  await swarm.enter(0, 0.2)
  const adapter = { rank: 8, base: 'float32' } as const
  const solver = await peer.start('solver', { adapter, served: { server: sampler, adapters: undefined } })
  const unpaid = { unpaid: expect.stringContaining('a server samples') }
  const report = { ...unpaid, tasks: 4, rollouts: 32, refused: {} }
  expect(await solver.said('learned', { round: 0 })).toMatchObject({ ...report, sampledBy: 'this policy' })
  await swarm.enter(1, 0.2)
  // The first beacon draws them. llama.cpp takes no adapter: after an update it samples by an older policy.
  expect(await solver.said('learned', { round: 1 })).toMatchObject(report)
  const { said: status } = await peer.waggle('status')
  expect(status.reports).toContainEqual(expect.objectContaining({ round: 1, ...report }))
  expect(status).toMatchObject({ pointsMilli: 0, settlements: [] })
  const about = { ...swarm.contracts.rolloutCommitments, eventName: 'RolloutsCommitted', fromBlock: 0n } as const
  expect(await swarm.chain.client.getContractEvents(about)).toEqual([])
})
