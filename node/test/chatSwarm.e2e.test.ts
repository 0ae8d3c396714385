import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { peerKeyOf } from '#core/peerKey.ts'
import { encodeProposal } from '#core/taskProposal.ts'
import { loadEnvironment } from '#environments/builtIn.ts'
import { drawTrainingTask } from '#environments/codezero/curriculum/drawTask.ts'
import type { CodeZeroSpec } from '#environments/codezero/environmentSpec.ts'
import { formatProposal } from '#environments/codezero/parseProposal.ts'
import { chatMessages, environmentFrom } from '#environments/codezero/presets.ts'
import { environmentHash } from '#environments/environmentSpec.ts'
import { seededRandom } from '#environments/seededRandom.ts'
import { openTokenizer } from '#model/tokenizerClient.ts'
import { openPolicyClient } from '#rl/policyClient.ts'
import { openJudgeModel } from '#roles/openModels.ts'
import { openPeer, type PeerNode } from '#roles/peerNode.ts'
import { type Identity, openIdentity } from '#store/identity.ts'
import { registerPeers } from '../../scripts/swarm/registerPeers.ts'
import { writeChatModel } from './chatModelFolder.ts'
import { runCli, startCli } from './cliProcess.ts'
import { deployContracts, startLocalChain } from './localChain.ts'

const ROUND_SECONDS = 6
/** More than a block for each contract and one for registrations. */
const STARTS_IN_SECONDS = 25
const root = mkdtempSync(join(tmpdir(), 'waggle-chat-'))
const at = (...names: string[]) => join(root, ...names)
const stop = new AbortController()
const closing: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

/** Makes keys. */
async function newPeer(name: string): Promise<Identity> {
  expect(await runCli(['init', '--data', at(name), '--json'])).toMatchObject({ code: 0 })
  return openIdentity(at(name))
}

/** Proposes two well-formed tasks for one round after another until stopped: how long the roles take to start depends on the machine. */
async function keepProposing({ chain, identity }: PeerNode, stopped: AbortSignal): Promise<void> {
  for (let before = -1; !stopped.aborted; ) {
    const { round } = await chain.rounds.waitFor(before + 1, stopped)
    before = round
    const random = seededRandom(`chat ${round}`)
    const texts = [0, 1].map(() => {
      const problem = drawTrainingTask(2, random)
      return formatProposal({
        problem,
        tests: [`assert ${problem.name}(${problem.parameters.map(() => 1)}) == 1`],
      })
    })
    if (await chain.readHasSecret(identity.peerKey, round + 1))
      await chain.propose({ round: round + 1, count: 2, bytes: encodeProposal({ level: 2, texts }) })
    else await chain.commitSecret(round + 2)
  }
}

/** The first round on which both evaluators committed votes, with the votes. */
async function firstSharedVotes(evaluators: readonly ReturnType<typeof startCli>[], first: number) {
  const votesOf = (round: number) =>
    Promise.all(evaluators.map(async ({ line }) => JSON.parse(await line('"votes committed"', `"round":${round},`))))
  return Promise.any(Array.from({ length: 30 }, (_, ahead) => votesOf(first + ahead)))
}

/** Rules for random models. Their judge tells nothing, so none could be measured: the specification says so. */
async function uncalibratedSpec(): Promise<CodeZeroSpec> {
  const [tokenizer, judgeTokenizer] = await Promise.all([openTokenizer(at('model')), openTokenizer(at('judge'))])
  const judge = openPolicyClient({ threads: 1 })
  const { weightsHash } = await judge.loadJudge(at('judge'), 'int8').finally(judge.close)
  const { solver, proposer, judgeSystem: system, judgeQuestion: question } = chatMessages
  return environmentFrom('qwen', {
    ...{ groupSize: 2, owedLeaves: 4, sampledLeaves: 4, tasks: 'wellFormed' },
    prompts: { format: 'chat', tokenizerHash: tokenizer.hash, vocabSize: 448, solver, proposer },
    judge: {
      ...{ kind: 'trueFalse', weightsHash, tokenizerHash: judgeTokenizer.hash, precision: 'int8', model: null },
      ...{ system, question, calibration: { bias: 0, slope: 1 }, measured: null },
    },
  })
}

test('chat models play: a solver answers, commits and learns from what an 8-bit judge says, and evaluators vote, reveal and settle by it', async () => {
  await writeChatModel(at('model'), 'model')
  await writeChatModel(at('judge'), 'judge')
  const spec = at('environment.json')
  const models = ['--model', at('model'), '--judge', at('judge')]
  const uncalibrated = await uncalibratedSpec()
  writeFileSync(spec, JSON.stringify(uncalibrated))
  const hash = environmentHash(uncalibrated)

  const peers = await Promise.all(['one', 'other', 'solver', 'proposer'].map(newPeer))
  const [oneId = '', otherId = '', solverId = ''] = peers.map(({ peerId }) => peerId)
  const local = await startLocalChain({ blockTimeSec: 1 })
  closing.push(() => local.stop())
  const deployment = await deployContracts(local, ROUND_SECONDS, hash, undefined, STARTS_IN_SECONDS)
  const record = at('deployment.json')
  writeFileSync(record, JSON.stringify(deployment))
  for (const { address } of peers) await local.fund(address)
  await registerPeers(local.rpcUrl, deployment, peers)
  // Anvil's first account, which deployed.
  const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
  const env = { WAGGLE_DEPLOYER_KEY: key, WAGGLE_RPC_URL: local.rpcUrl, WAGGLE_DEPLOYMENT: record }
  for (const id of [oneId, otherId]) expect(await runCli(['admit', id], env)).toMatchObject({ code: 0, stderr: '' })
  const chain = ['--deployment', record, '--rpc', local.rpcUrl]
  const proposer = await openPeer({
    data: at('proposer'),
    rpcUrl: local.rpcUrl,
    deployment,
    environments: [
      await loadEnvironment(JSON.parse(readFileSync(spec, 'utf8')), {
        modelFolder: at('model'),
        judgeFolder: at('judge'),
      }),
    ],
    listen: ['/ip4/127.0.0.1/tcp/0'],
    bootnodes: [],
    clock: systemClock,
    openLogger: () => silentLogger,
    signal: stop.signal,
  })
  closing.push(async () => {
    stop.abort()
    await proposer.close()
  })
  const bootnode = proposer.network.addresses()[0] ?? ''
  const loopback = ['--listen', '/ip4/127.0.0.1/tcp/0', '--bootnode', bootnode]
  const settings = [...chain, ...models, ...loopback, '--environment', spec, '--log', 'json']
  const solver = startCli([
    'start',
    '--role',
    'solver',
    '--data',
    at('solver'),
    ...settings,
    '--lora',
    '8',
    '--lora-base',
    'int8',
  ])
  const evaluators = ['one', 'other'].map(name =>
    startCli(['start', '--role', 'evaluator', '--data', at(name), ...settings]),
  )
  closing.push(solver.stop, ...evaluators.map(({ stop }) => stop))
  const { round: first } = await proposer.chain.rounds.read()
  const voted = new AbortController()
  const proposing = keepProposing(proposer, voted.signal).catch(error => {
    if (!voted.signal.aborted) throw error
  })
  // Whichever round both have voted on; whoever's turn it is settles it.
  const sealed = await Promise.race([firstSharedVotes(evaluators, first), proposing.then(() => [])])
  voted.abort()
  await proposing
  const [{ round }] = sealed
  const { stdout, stderr } = await solver.stop()
  expect(stderr).toBe('')
  expect(stdout).toContain('"rollouts committed"')
  expect(stdout).toMatch(/"level":"warn".*judge\.measured is null/)
  const linesOf = (what: string) => evaluators.map(({ line }) => line(`"${what}"`, `"round":${round},`))
  await Promise.all(linesOf('votes revealed'))
  await Promise.race(linesOf('shard settled'))
  // Both judges say the same, and that is what the chain settles.
  const [scoreMilli] = sealed[0].scores
  expect(scoreMilli).toSatisfy(milli => milli >= 0 && milli <= 1000)
  expect(sealed[1].scores).toEqual([scoreMilli])
  expect(await proposer.chain.readSettlements(round)).toMatchObject([
    { peerKey: peerKeyOf(solverId), scoreMilli, votes: 2, outcome: 'scored' },
  ])
  await Promise.allSettled(evaluators.map(({ stop }) => stop()))
  const learned = JSON.parse(stdout.split('\n').find(line => line.includes('"learned"')) ?? '{}')
  expect(learned).toMatchObject({ tasks: 2, rollouts: 4 })
  expect(learned.meanReward).toBeGreaterThanOrEqual(0)
  // What was learned is an adapter as PEFT keeps it, with the tokenizer that it is for.
  for (const name of ['adapter_config.json', 'adapter_model.safetensors', 'tokenizer.json'])
    expect(existsSync(at('solver', 'policy', name))).toBe(true)
}, 240_000)

test('the frozen chat model’s prediction is a calibrated probability, the same for who runs it and whatever is beside it', async () => {
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
  const other = await loadEnvironment(spec, { ...folders, judgeFolder: at('model') })
  await expect(openJudgeModel(other, worker)).rejects.toMatchObject({ code: 'ENVIRONMENT_MISMATCH' })
})

test('a judge that cannot tell right from wrong makes no environment', async () => {
  const models = ['--model', at('model'), '--judge', at('judge')]
  const out = at('refused.json')
  const made = await runCli(['environment', ...models, '--out', out, '--pairs', '200', '--samples', '8'])
  expect(made).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/balanced accuracy.*--judge.*\[JUDGE_TOO_WEAK\]/s),
  })
  expect(existsSync(out)).toBe(false)
})

test('a judge or a tokenizer that is not the environment’s is refused in one line', async () => {
  const spec = at('environment.json')
  const { judge, ...rest } = JSON.parse(readFileSync(spec, 'utf8'))
  const other = at('other.json')
  writeFileSync(other, JSON.stringify({ ...rest, judge: { ...judge, tokenizerHash: `0x${'00'.repeat(32)}` } }))
  const start = (...more: string[]) =>
    runCli([
      'start',
      '--role',
      'solver',
      '--data',
      at('solver'),
      '--deployment',
      at('deployment.json'),
      '--rpc',
      'http://127.0.0.1:9',
      ...more,
    ])
  const both = ['--model', at('model'), '--judge', at('judge')]
  expect(await start('--environment', other, ...both)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/tokenizer in .*\[ENVIRONMENT_MISMATCH\]/),
  })
  expect(await start(...both)).toMatchObject({ code: 64, stderr: expect.stringContaining('--environment is missing') })
  expect(await start('--environment', at('deployment.json'), ...both)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('is not an environment'),
  })
})
