import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mean } from '#base/mean.ts'
import { systemClock } from '#core/clock.ts'
import { createLogger } from '#core/logger.ts'
import { labelledPairs } from '#environments/codezero/judge/labelledPairs.ts'
import { judgeMessages, judgeWords, trueFalseEvidence } from '#environments/codezero/judge/trueFalseJudge.ts'
import { loadChatEnvironment } from '#environments/codezero/kind.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import { examples, small, solverMessage } from '#environments/reasoning/kind.ts'
import { reasoning } from '#environments/reasoning/reasoning.ts'
import { reasoningSpecSchema } from '#environments/reasoning/reasoningSpec.ts'
import { createChatServer } from '#hub/chatServer/chatServer.ts'
import { parseServerUrl } from '#hub/chatServer/serverAddress.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { importGguf } from '#model/gguf/importGguf.ts'
import { openTokenizer, type TokenizerClient } from '#model/tokenizers/tokenizerClient.ts'
import { openAdapterPolicy } from '#rl/policy/adapterPolicy.ts'
import { openPolicyClient } from '#rl/policy/policyClient.ts'
import { roundRules } from '#roles/draws/checkRollouts.ts'
import { learningOptions } from '#roles/models/openModels.ts'
import { smolModel } from '../../scripts/experiment/smolModel.ts'
import { runCode } from '../src/cli/models/runCode.ts'
import { startLlamaServer } from './llamaServer.ts'
import { claimErrors, openServedScene } from './servedScene.ts'
import { codeZeroSpec } from './specification/codeZeroProbes.ts'
import { wordOf } from './specification/commonProbes.ts'

/** Kept: 130 MB of packages, and 540 MB of the model in float32. */
const kept = join(import.meta.dirname, '../../.waggle/real-server')
const model = join(kept, 'SmolLM2-135M-Instruct')
const data = mkdtempSync(join(tmpdir(), 'waggle-real-server-'))
const { signal } = new AbortController()
const lines: Record<string, unknown>[] = []
const logger = createLogger({
  write: line => lines.push(JSON.parse(line)),
  format: 'json',
  level: 'info',
  clock: systemClock,
})

let server: Awaited<ReturnType<typeof startLlamaServer>>
let tokenizer: TokenizerClient
let vocabSize: number
let asked: ReturnType<typeof createChatServer>

beforeAll(async () => {
  const gguf = await smolModel(kept)
  if (!existsSync(model)) await importGguf(gguf, model)
  server = await startLlamaServer(gguf, kept)
  tokenizer = await openTokenizer(model)
  vocabSize = (await readDecoderConfig(model)).vocabSize
  asked = createChatServer({ address: parseServerUrl(server.url, false), clock: systemClock })
})
afterAll(async () => {
  await tokenizer?.close()
  await server?.close()
})

test("a judge's log-odds are read from llama.cpp's log-probabilities, near those of the same model here", async () => {
  const { judge: rule } = codeZeroSpec(wordOf('01'), vocabSize)
  if (rule.kind !== 'trueFalse') throw new TypeError('not of chat models')
  const pairs = labelledPairs(8, 'real server')
  const here = openPolicyClient({ threads: 2 })
  await here.loadJudge(model, 'float32')
  const own = await (await trueFalseEvidence(here, tokenizer, rule, 2048))(pairs).finally(here.close)
  const messages = await Promise.all(pairs.map(pair => judgeMessages(rule, pair)))
  const found = await asked.chooseWord(messages as never, judgeWords)
  const served = found.map(row => (row?.[0] ?? Number.NaN) - (row?.[1] ?? Number.NaN))
  const distances = served.map((odds, at) => Math.abs(odds - (own[at] as number)))
  // Other tokens of the same words count there: `True` as well as `true`.
  expect(mean(distances)).toBeLessThan(1)
  expect(served.map(Math.sign)).toEqual(own.map(odds => Math.sign(odds as number)))
})

test("a server that judges is examined on the solver's own answers too, as its model writes them, and this one is refused", async () => {
  const environment = await loadChatEnvironment(codeZeroSpec(tokenizer.hash, vocabSize), {
    ...{ modelFolder: model, judgeFolder: null },
    judgeServer: { ...asked, runCode, threads: 2 },
  })
  const refused = await environment.openJudge(null).then(String, String)
  const [, weakness, pairs, own] =
    /right code from wrong: (.*), on (\d+) pairs, (\d+) of them the solver's own/.exec(refused) ?? []
  expect(weakness).toMatch(/slope|balanced accuracy/)
  // Of 64 answers, those that have the form of one: 5 by this model.
  expect(Number(own)).toBeGreaterThan(0)
  expect(Number(pairs)).toBe(128 + Number(own))
})

test('a proposer writes by llama.cpp: as many texts as were asked for, each of the limit or less', async () => {
  const environment = await loadChatEnvironment(
    environmentFrom('qwen', {
      ...codeZeroSpec(tokenizer.hash, vocabSize),
      proposing: { temperature: 0.8, maxNewTokens: 48 },
    }),
    { modelFolder: model, judgeFolder: null, proposerServer: asked } as never,
  )
  const texts = await environment.proposals?.write(1, 4, wordOf('0c'), signal, null)
  expect(environment.proposals?.model).toBeNull()
  expect(texts).toHaveLength(4)
  for (const { text, ended } of texts ?? []) {
    expect(text.trim()).not.toBe('')
    const { length } = await tokenizer.encode(text)
    expect(ended ? length <= 48 : length >= 40).toBe(true)
  }
  expect(new Set(texts?.map(({ text }) => text)).size).toBe(4)
})

test("a solver's round on llama.cpp: tokens out and back, log-probabilities near the node's own, and an update that moves the policy", async () => {
  const spec = reasoningSpecSchema.parse({
    ...small,
    ...{ tasksPerRound: 4, owedLeaves: 32, sampledLeaves: 8 },
    prompts: { format: 'chat', tokenizerHash: tokenizer.hash, vocabSize, solver: solverMessage, examples },
  })
  const environment = reasoning({ spec, tokenizer, solverFolder: model })
  const lora = { rank: 8, alpha: 16, targets: ['q_proj', 'v_proj'], rankStabilized: false } as const
  const settings = { threads: 2, device: 'cpu', ...learningOptions(spec) } as const
  const policy = await openAdapterPolicy(model, model, { lora, base: 'float32' }, settings)
  const scene = openServedScene({
    ...{ environment: environment as never, policy, url: server.url, judge: await environment.openJudge(null) },
    ...{ vocabSize, peerKey: wordOf('0a'), clock: systemClock, logger, data },
  } as never)
  const rulesOf = (round: number) =>
    roundRules(environment as never, { chainId: 1, round, beacon: wordOf(`0${round}`) }, [])
  const before = await policy.weightsHash()

  const first = await scene.play(1, await rulesOf(1))
  expect(first).toMatchObject({ refused: {}, sampledBy: 'this policy', learned: { updates: 1, refused: {} } })
  expect(first.groups.map(({ rollouts }) => rollouts.length)).toEqual([8, 8, 8, 8])
  expect(await policy.weightsHash()).not.toBe(before)

  // llama.cpp takes no adapter of PEFT's form: it keeps sampling by the base, and the solver learns from that too.
  const second = await scene.play(2, await rulesOf(2))
  expect(second).toMatchObject({ refused: {}, sampledBy: 'an older policy', learned: { updates: 1 } })
  expect(lines.find(({ message }) => String(message).includes('did not take the adapter'))).toBeDefined()
  await scene.sampler.close()
  await policy.dispose()

  // By the base that the server serves, a fresh adapter's product being zero.
  const base = await openAdapterPolicy(model, model, { lora, base: 'float32' }, settings)
  const errors = await claimErrors(base, first.groups)
  await base.dispose()
  expect(errors.length).toBeGreaterThan(32)
  expect(mean(errors)).toBeLessThan(0.08)
  expect(Math.max(...errors)).toBeLessThan(0.6)
})
