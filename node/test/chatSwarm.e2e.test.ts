import { copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { settlementOutcomes } from '@waggle/deployments/protocol'
import { afterAll, expect, test } from 'vitest'
import { runCode } from '#cli/models/runCode.ts'
import { systemClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { decodeScoreSheet, type ScoreSheet } from '#core/payloads/payloads.ts'
import { kindOf, loadEnvironment, loadEnvironments } from '#environments/builtIn.ts'
import { drawTrainingTask } from '#environments/codezero/curriculum/drawTask.ts'
import { describeEnvironment } from '#environments/codezero/describeEnvironment.ts'
import type { CodeZeroSpec } from '#environments/codezero/environmentSpec.ts'
import { labelledPairs } from '#environments/codezero/judge/labelledPairs.ts'
import { formatProposal } from '#environments/codezero/parseProposal.ts'
import { chatMessages, environmentFrom } from '#environments/codezero/presets.ts'
import type { Level } from '#environments/level.ts'
import { seededRandom } from '#environments/seededRandom.ts'
import { createChatServer } from '#hub/chatServer/chatServer.ts'
import { createCompletionServer } from '#hub/chatServer/completionServer.ts'
import { parseServerUrl } from '#hub/chatServer/serverAddress.ts'
import { allLinear } from '#model/lora/loraConfig.ts'
import { openTokenizer } from '#model/tokenizers/tokenizerClient.ts'
import { openPolicyClient } from '#rl/policy/policyClient.ts'
import { openJudgeModel } from '#roles/models/openModels.ts'
import { createJournal } from '#store/journal.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { readKeptBundle } from '#store/readKeptBundle.ts'
import { callCli } from './callCli.ts'
import { writeChatModel } from './chatModelFolder.ts'
import { runCli } from './cliProcess.ts'
import { type LivePeer, startLiveSwarm } from './liveSwarm.ts'
import { refusedCall } from './refusedCall.ts'
import { startVllm } from './vllmServer.ts'

const root = mkdtempSync(join(tmpdir(), 'waggle-chat-'))
const at = (...names: string[]) => join(root, ...names)
const closing: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

/** A server of chat completions on loopback, whose every answer is another proposal of the level that it is asked for. */
async function startWriter(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { messages, seed } = JSON.parse(await text(request))
    const [, level] = /Propose level (\d)/.exec(messages.at(-1).content) ?? []
    const problem = drawTrainingTask(Number(level) as Level, seededRandom(`served ${seed}`))
    const tests = [`assert ${problem.name}(${problem.parameters.map(() => 1)}) == 1`]
    const message = { content: formatProposal({ problem, tests }) }
    response.end(JSON.stringify({ choices: [{ finish_reason: 'stop', message }] }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closing.push(async () => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1#writer`
}

/** The score sheet of an evaluator. */
async function scoreSheetOf({ data }: LivePeer, round: number): Promise<ScoreSheet> {
  const db = openDatabase(join(data, JOURNAL_FILE))
  const [contentId] = createJournal(db, systemClock).get(round, 'scores') as [Hex]
  db.close()
  return decodeScoreSheet((await readKeptBundle(data, round, contentId)) ?? new Uint8Array()) as ScoreSheet
}

/** Rules for random models. Their judge tells nothing, so none could be measured: the specification says so. */
async function uncalibratedSpec(): Promise<CodeZeroSpec> {
  const [tokenizer, judgeTokenizer] = await Promise.all([openTokenizer(at('model')), openTokenizer(at('judge'))])
  const judge = openPolicyClient({ threads: 1 })
  const { weightsHash } = await judge.loadJudge(at('judge'), 'int8').finally(judge.close)
  const { solver, proposer, judgeSystem: system, judgeQuestion: question } = chatMessages
  return environmentFrom('qwen', {
    ...{ groupSize: 2, owedLeaves: 4, sampledLeaves: 4, tasks: 'wellFormed', whenSilent: 'nothing' },
    prompts: { format: 'chat', tokenizerHash: tokenizer.hash, vocabSize: 448, solver, proposer },
    judge: {
      ...{ kind: 'trueFalse', weightsHash, tokenizerHash: judgeTokenizer.hash, precision: 'int8', model: null },
      ...{ system, question, calibration: { bias: 0, slope: 1 }, measured: null },
    },
  })
}

test('chat models play: a server proposes, a solver answers, commits and learns from what an 8-bit judge says, evaluators vote, reveal and settle by it, and a solver whose answers a server samples learns unpaid', async () => {
  await writeChatModel(at('model'), 'model')
  await writeChatModel(at('judge'), 'judge', { tokenizer: 'llama' })
  await writeChatModel(at('other judge'), 'other judge', { tokenizer: 'llama' })
  const spec = await uncalibratedSpec()
  writeFileSync(at('environment.json'), JSON.stringify(spec))
  const address = parseServerUrl(await startWriter(), false)
  const proposerServer = createChatServer({ address, clock: systemClock })
  const chat = { spec, modelFolder: at('model'), judgeFolder: at('judge'), proposerServer }
  const swarm = await startLiveSwarm({ chat, pauseMs: 40 })
  closing.push(swarm.stop)
  copyFileSync(swarm.record, at('deployment.json'))
  const [solver, author] = [await swarm.newPeer('solver'), await swarm.newPeer('proposer')]
  const judges = [await swarm.newPeer('one'), await swarm.newPeer('other')]
  for (const judge of judges) await swarm.admit(judge)
  const evaluators = await Promise.all(judges.map(judge => judge.start('evaluator')))
  const lora = { rank: 8, alpha: undefined, targets: undefined, base: 'float32' } as const
  const answering = await solver.start('solver', { adapter: lora })
  await answering.said((await loadEnvironment(spec, chat)).caution ?? 'a caution', { level: 'warn' })
  const vllm = await startVllm(at('model'), {
    lora: { rank: 8, alpha: 16, targets: allLinear, rankStabilized: false },
    base: 'float32',
  })
  closing.push(vllm.close)
  const sampler = createCompletionServer({ address: parseServerUrl(vllm.url, false), clock: systemClock })
  const unpaid = await swarm.newPeer('unpaid')
  const sampled = await unpaid.start('solver', { adapter: lora, served: { server: sampler, adapters: undefined } })
  const proposing = await author.start('proposer')
  await swarm.enter(0)
  await proposing.said('secret committed', { round: 2 })
  for (const round of [2, 3]) {
    await swarm.enter(round - 1)
    await proposing.said('tasks proposed', { round })
  }
  // A solver that begins after four fifths of a round finds its server too slow.
  await swarm.enter(3, 0.2)
  const learned = await answering.said('learned', { round: 2 })
  expect(learned).toMatchObject({ tasks: 2, rollouts: 4 })
  expect(learned.meanReward).toBeGreaterThanOrEqual(0)
  const round = 3
  await answering.said('rollouts committed', { round })
  await answering.said('learned', { round })
  const unpaidReport = { tasks: 2, rollouts: 4, sampledBy: 'this policy', unpaid: expect.stringContaining('a server') }
  expect(await sampled.said('learned', { round })).toEqual(expect.objectContaining({ ...unpaidReport, refused: {} }))
  expect((await unpaid.waggle('status')).said.reports).toContainEqual(
    expect.objectContaining({ round, ...unpaidReport }),
  )
  await swarm.enter(4)
  const votes = await Promise.all(evaluators.map(({ said }) => said('votes committed', { round })))
  // Both judges say the same, and that is what the chain settles.
  const [[scoreMilli]] = votes.map(({ scores }) => scores as number[]) as [number[]]
  expect(scoreMilli).toSatisfy(milli => milli >= 0 && milli <= 1000)
  expect(votes.map(({ scores }) => scores)).toEqual([[scoreMilli], [scoreMilli]])
  await swarm.enter(5)
  await Promise.all(evaluators.map(({ said }) => said('votes revealed', { round })))
  // Scored leaves stand behind the vote: both have proven that the adapter over 8 bits, which was named before the round, sampled them.
  for (const judge of judges)
    expect((await scoreSheetOf(judge, round)).peers.map(({ leaves }) => leaves.length)).toEqual([4])
  await swarm.enter(6)
  await Promise.race(evaluators.map(({ said }) => said('shard settled', { round })))
  const settled = await swarm.chain.client.getContractEvents({
    ...{ ...swarm.contracts.rewardVotes, eventName: 'Settled', args: { round: BigInt(round) }, fromBlock: 0n },
  })
  const outcome = settlementOutcomes.indexOf('scored')
  expect(settled.map(({ args }) => args)).toMatchObject([{ peerKey: solver.peerKey, scoreMilli, votes: 2, outcome }])
  // The result is an adapter as PEFT keeps it, with the tokenizer that it is for.
  for (const name of ['adapter_config.json', 'adapter_model.safetensors', 'tokenizer.json'])
    expect(existsSync(join(solver.data, 'policy', name))).toBe(true)
}, 480_000)

test('the frozen chat model’s prediction is a calibrated probability, the same on every machine and in every batch', async () => {
  const spec: CodeZeroSpec = JSON.parse(readFileSync(at('environment.json'), 'utf8'))
  const folders = { modelFolder: at('model'), judgeFolder: at('judge') }
  const worker = { crashed: () => {} }
  const environment = await loadEnvironment(spec, folders)
  const scorer = await openJudgeModel(environment, worker)
  closing.push(() => scorer.close())
  const judge = await environment.openJudge(scorer)
  const problem = { name: 'f', parameters: ['a'], text: 'Return a.' }
  const answers = ['def f(a):\n    return a\n', 'def f(a):\n    return a + 1\n', 'def f(a'].map(code => ({
    problem,
    text: `\`\`\`python\n${code}\`\`\``,
    ended: true,
  }))
  const predict = async (some: typeof answers) => (await judge.score(some)).map(({ correctness }) => correctness)
  const [right = -1, wrong = -1, broken] = await predict(answers)
  for (const predicted of [right, wrong]) expect(predicted).toSatisfy(value => value > 0 && value < 1)
  expect(right).not.toBe(wrong)
  expect(broken).toBe(0)
  expect(await predict(answers.slice(1, 2))).toEqual([wrong])
  const other = await loadEnvironment(spec, { ...folders, judgeFolder: at('other judge') })
  await expect(openJudgeModel(other, worker)).rejects.toMatchObject({ code: 'ENVIRONMENT_MISMATCH' })
})

test('a judge that cannot tell right from wrong makes no environment', { timeout: 480_000 }, async () => {
  const models = {
    modelFolder: at('model'),
    judgeFolder: at('other judge'),
    judgeModel: null,
    precision: 'int8',
  } as const
  const made = describeEnvironment({ ...models, pairs: 40, samples: 1, threads: 1, runCode })
  await expect(made).rejects.toMatchObject({
    code: 'JUDGE_TOO_WEAK',
    message: expect.stringContaining('balanced accuracy'),
    hint: expect.stringContaining('--judge'),
  })
})

test('the judge that comes with the code judges functions of the curriculum, whatever model wrote them', async () => {
  const { judge: _, ...rules } = await uncalibratedSpec()
  const weightsHash = (await loadEnvironments()).starter.judgeModel?.weightsHash ?? null
  const spec: CodeZeroSpec = { ...rules, tasks: 'understood', judge: { kind: 'backTranslation', weightsHash } }
  const folders = { modelFolder: at('model'), judgeFolder: kindOf(spec).judgeOf(spec) }
  const environment = await loadEnvironment(spec, folders)
  const scorer = await openJudgeModel(environment, { crashed: () => {} })
  closing.push(() => scorer.close())
  const judge = await environment.openJudge(scorer)
  const pairs = labelledPairs(20, 'chat models')
  const scores = await judge.score(
    pairs.map(({ problem, code }) => ({ problem, text: `\`\`\`python\n${code}\`\`\``, ended: true })),
  )
  const told = scores.filter(({ correctness }, i) => correctness > 0.5 === pairs[i]?.isRight)
  expect(told.length / pairs.length).toBeGreaterThanOrEqual(0.9)
  const withOther = loadEnvironment(spec, { ...folders, judgeFolder: at('judge') })
  await expect(withOther).rejects.toMatchObject({ code: 'MODEL_FILE' })
  for (const wrong of [{ tasks: 'wellFormed' }, { judge: { kind: 'backTranslation', weightsHash: null } }] as const)
    await expect(loadEnvironment({ ...spec, ...wrong }, folders)).rejects.toMatchObject({
      message: expect.stringContaining("reads the curriculum's texts alone"),
    })
  const judgeServer = {} as NonNullable<Parameters<typeof loadEnvironment>[1]['judgeServer']>
  await expect(loadEnvironment(spec, { ...folders, judgeFolder: null, judgeServer })).rejects.toMatchObject({
    code: 'ENVIRONMENT_MISMATCH',
    message: expect.stringContaining('comes with the code'),
  })
})

test('an environment with that judge needs answers of the model that are functions', { timeout: 480_000 }, async () => {
  const models = { modelFolder: at('model'), judgeFolder: null, judgeModel: null, precision: 'float32' } as const
  const made = describeEnvironment({ ...models, pairs: 40, samples: 1, threads: 1, runCode })
  // The judge has passed by then.
  await expect(made).rejects.toMatchObject({ code: 'FEW_ANSWERS' })
})

test('a start says what its models take of the memory before any is loaded', async () => {
  const flags = ['--data', at('told'), '--deployment', at('deployment.json'), '--rpc', 'http://127.0.0.1:9']
  const models = ['--environment', at('environment.json'), '--model', at('model'), '--judge', at('judge')]
  const { code, stdout } = await runCli(['start', '--role', 'evaluator', ...flags, ...models, '--log-format', 'json'])
  // Nobody answers at that endpoint: it may be tried again.
  expect(code).toBe(75)
  const found = /"found":"evaluator of 0\.00 billion parameters takes about 2\.0 GiB, [\d.]+ GiB are free"/
  expect(stdout).toMatch(found)
})

test('a judge or a tokenizer that is not the environment’s is refused in one line', async () => {
  const spec = at('environment.json')
  const { judge, ...rest } = JSON.parse(readFileSync(spec, 'utf8'))
  const other = at('other.json')
  writeFileSync(other, JSON.stringify({ ...rest, judge: { ...judge, tokenizerHash: `0x${'00'.repeat(32)}` } }))
  const flags = ['--data', at('solver'), '--deployment', at('deployment.json'), '--rpc', 'http://127.0.0.1:9']
  const argv = ['start', '--role', 'solver', ...flags]
  const start = (...more: string[]) => callCli([...argv, ...more])
  const refused = (...more: string[]) => refusedCall([...argv, ...more])
  const both = ['--model', at('model'), '--judge', at('judge')]
  expect(await start('--environment', other, ...both)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/tokenizer in .*\[ENVIRONMENT_MISMATCH\]/),
  })
  expect(await refused('--environment', spec, ...both, '--proposer', at('judge'))).toContain(
    'A solver proposes no tasks.',
  )
  expect(await refused(...both, '--environment', spec, '--generate-adapters', at('served'))).toContain(
    '--generate-adapters needs --generate.',
  )
  expect(await start('--environment', spec, ...both, '--generate', 'http://127.0.0.1:9/v1')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/only an adapter can be handed over.*--lora.*\[KEPT_POLICY\]/s),
  })
  expect(await refused('--generate', 'localhost:8000')).toContain('not an http or https URL')
  expect(await refused(...both)).toContain('--environment is missing')
  expect(await refused('--environment', at('deployment.json'), ...both)).toContain('is not an environment')
})
