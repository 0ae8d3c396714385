import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadEnvironment } from '#environments/builtIn.ts'
import type { CodeZeroSpec } from '#environments/codezero/environmentSpec.ts'
import { chatMessages, environmentFrom } from '#environments/codezero/presets.ts'
import type { Generates, SampledTokens, TextWriter } from '#environments/environment.ts'
import { ChatServerError } from '#hub/chatServer/chatServerError.ts'
import type { Completion } from '#model/generation/completion.ts'
import { readBasePrecision } from '#model/lora/loraFiles.ts'
import { openTokenizer, type TokenizerClient } from '#model/tokenizers/tokenizerClient.ts'
import { writeChatModel } from '../../../test/chatModelFolder.ts'
import { proposalsOf } from './proposalsOf.ts'
import { propose, type WriteProposals } from './propose.ts'
import { openProposalWriter } from './startProposer.ts'
import { createTaskList } from './taskList.ts'

const root = await mkdtemp(join(tmpdir(), 'waggle-proposer-'))
afterAll(() => rm(root, { recursive: true }))
const [modelFolder, judgeFolder, proposerFolder] = ['solver', 'judge', 'proposer'].map(name => join(root, name)) as [
  string,
  string,
  string,
]
const ample = new AbortController().signal
const seedOf = (attempt: number) => `0x${String(attempt).repeat(64)}` as const
let spec: CodeZeroSpec
let [solvers, proposers]: TokenizerClient[] = []

beforeAll(async () => {
  await writeChatModel(modelFolder, 'solver')
  await writeChatModel(judgeFolder, 'judge', { tokenizer: 'deepseek' })
  await writeChatModel(proposerFolder, 'proposer', { tokenizer: 'llama' })
  const folders = [modelFolder, judgeFolder, proposerFolder]
  const [own, judges, others] = await Promise.all(folders.map(folder => openTokenizer(folder)))
  ;[solvers, proposers] = [own, others]
  const { solver, proposer, judgeSystem: system, judgeQuestion: question } = chatMessages
  const weightsHash = `0x${'11'.repeat(32)}` as const
  spec = environmentFrom('qwen', {
    prompts: { format: 'chat', tokenizerHash: own?.hash ?? '0x', vocabSize: 448, solver, proposer },
    tasks: 'wellFormed',
    repairing: 0,
    judge: {
      ...{ kind: 'trueFalse', weightsHash, tokenizerHash: judges?.hash ?? '0x', precision: 'float32', model: null },
      ...{ system, question, calibration: { bias: 0, slope: 1 }, measured: null },
    },
  })
})

test('A proposer of another tokenizer is asked and read by its own, and what it proposes is prompted by the environment’s.', async () => {
  const environment = await loadEnvironment(spec, { modelFolder, proposerFolder, judgeFolder })
  expect(solvers?.hash).not.toBe(proposers?.hash)
  const asked: string[] = []
  const said = 'Write add_three(n). Add 3 to the number.\nassert add_three(1) == 4'
  const model: Generates = {
    async generate({ prompts, stopToken }) {
      asked.push((await proposers?.decode(prompts[0] as Int32Array, 'keep')) ?? '')
      const tokens = Int32Array.of(...((await proposers?.encode(said)) ?? []), stopToken)
      return [{ prompt: 0, tokens, logprobs: new Float32Array(tokens.length), ended: true } as Completion]
    },
  }
  const list = createTaskList(environment, 2, 1)
  const write: WriteProposals = (...request) => proposalsOf(environment).write(...request, model)
  await propose(write, environment, 2, list, seedOf, ample)
  expect(list.texts).toEqual([said])
  expect(asked[0]).toContain('<|start_header_id|>system<|end_header_id|>')
  expect(asked[0]).toContain('Propose level 2.<|eot_id|>')
  const problem = (await environment.proposals?.read(said)) ?? {}
  const prompt = await environment.format.solverPrompt(problem)
  expect(await solvers?.decode(prompt, 'keep')).toContain('<|im_start|>user\nWrite add_three(n).')
})

test('The worker of a proposer samples from the model that proposes alone, in 8 bits.', async () => {
  const environment = await loadEnvironment(spec, { modelFolder, proposerFolder, judgeFolder })
  const { write, close } = await openProposalWriter(environment, { crashed: () => {} })
  try {
    const list = createTaskList(environment, 2, 1)
    await propose(write, environment, 2, list, seedOf, ample)
    expect(list.texts).toEqual([])
    expect(Object.values(list.refused).reduce((sum, times) => sum + times, 0)).toBe(8)
  } finally {
    await close()
  }
})

test('A proposer of another tokenizer learns over its own model in 8 bits, continues with what it kept, and not where nothing is drawn.', async () => {
  const environment = await loadEnvironment(spec, { modelFolder, proposerFolder, judgeFolder })
  const [folder, watch] = [join(root, 'learning'), { crashed: () => {} }]
  const learning = { folder, adapter: { rank: 2, base: undefined } }
  const first = await openProposalWriter(environment, watch, learning)
  const [one, other] = await first.write(2, 2, '0x01', ample)
  const lesson = [one, other].map((text, reward) => ({ ...(text?.sampled as SampledTokens), reward }))
  const group = { prompt: lesson[0]?.prompt as Int32Array, completions: lesson }
  const options = { learningRate: 1e-3, recomputeLogprobs: true, maxKl: 0.2 }
  expect(await first.policy?.policyStep([group], options)).toMatchObject({ groupsUsed: 1, refuted: 0, undone: false })
  const saved = await first.policy?.save(folder)
  await first.close()
  expect(await readBasePrecision(folder)).toBe('int8')
  const second = await openProposalWriter(environment, watch, { folder, adapter: undefined })
  expect(await second.policy?.weightsHash()).toBe(saved?.weightsHash)
  await second.close()
  const greedy = environmentFrom('qwen', { ...spec, proposing: { ...spec.proposing, temperature: 0 } })
  const same = await loadEnvironment(greedy, { modelFolder, proposerFolder, judgeFolder })
  await expect(openProposalWriter(same, watch, learning)).rejects.toMatchObject({ code: 'ENVIRONMENT_MISMATCH' })
  const frozen = await openProposalWriter(same, watch)
  expect(frozen.policy).toBeNull()
  await frozen.close()
})

test('A model of another tokenizer is refused if token ids have to agree.', async () => {
  const [message, hint] = [proposerFolder, 'waggle environment create'].map(text => expect.stringContaining(text))
  const refused = { code: 'ENVIRONMENT_MISMATCH', message, hint }
  await expect(loadEnvironment(spec, { modelFolder: proposerFolder, judgeFolder })).rejects.toMatchObject(refused)
  await expect(loadEnvironment(spec, { modelFolder, judgeFolder: proposerFolder })).rejects.toMatchObject(refused)
})

test('A server proposes in text, and one that is away is counted, so that a dataset may stand in.', async () => {
  const said = 'Write add_three(n). Add 3 to the number.\nassert add_three(1) == 4'
  const asked: { system: string; count: number; temperature: number }[] = []
  const proposerServer: TextWriter = {
    async write([system], { count, temperature }) {
      asked.push({ system: system?.content ?? '', count, temperature })
      if (asked.length > 1) throw new ChatServerError('SERVER_OFFLINE', 'host cannot be reached.')
      return [
        { text: '', ended: false, failure: 'host refuses a request.' },
        { text: said, ended: true },
        { text: said, ended: false },
      ]
    },
  }
  const environment = await loadEnvironment(spec, { modelFolder, proposerServer, judgeFolder })
  const { write, close } = await openProposalWriter(environment, { crashed: () => {} })
  const list = createTaskList(environment, 2, 2)
  await propose(write, environment, 2, list, seedOf, ample)
  await close()
  expect(list.texts).toEqual([said])
  expect(list.refused).toEqual({ 'host refuses a request.': 1, 'too long': 1, 'host cannot be reached.': 1 })
  expect(asked).toEqual(
    [0, 1].map(() => ({ system: chatMessages.proposer, count: 2, temperature: spec.proposing.temperature })),
  )
})

test('Once the time is up no more is asked for, and what came is proposed.', async () => {
  const said = 'Write add_three(n). Add 3 to the number.\nassert add_three(1) == 4'
  const environment = await loadEnvironment(spec, { modelFolder, proposerFolder, judgeFolder })
  const [time, list] = [new AbortController(), createTaskList(environment, 2, 2)]
  let asked = 0
  const write: WriteProposals = async () => {
    asked += 1
    time.abort()
    return [{ text: said, ended: true }]
  }
  await propose(write, environment, 2, list, seedOf, time.signal)
  expect([asked, list.texts, list.refused]).toEqual([1, [said], { 'no time was left': 1 }])
})

test('An environment without its judge is enough to propose, and scores nothing.', async () => {
  const environment = await loadEnvironment(spec, { modelFolder, judgeFolder: null })
  expect(proposalsOf(environment).model).toMatchObject({ folder: modelFolder })
  await expect(environment.openJudge(null)).rejects.toMatchObject({
    code: 'ENVIRONMENT_MISMATCH',
    hint: expect.stringContaining('--judge'),
  })
})
