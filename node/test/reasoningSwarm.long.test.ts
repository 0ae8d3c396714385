import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseSpec } from '#environments/builtIn.ts'
import { openTokenizer } from '#model/tokenizers/tokenizerClient.ts'
import { callCli } from './callCli.ts'
import { writeChatModel } from './chatModelFolder.ts'
import { type LiveSwarm, startLiveSwarm } from './liveSwarm.ts'

let swarm: LiveSwarm
afterAll(() => swarm?.stop())

/** Digits and the end of a turn, in the tokenizer of the tests. */
const numbers = [...Array.from({ length: 10 }, (_, digit) => 15 + digit), 422]

test('the reasoning environment plays with no proposer and no judge model: a chat model answers the beacon’s questions, learns, is paid points, and its answers are criticised; one over an 8-bit base, or over a base that the environment does not list, learns unpaid and commits nothing', {
  timeout: 240_000,
}, async () => {
  const root = mkdtempSync(join(tmpdir(), 'waggle-reasoning-'))
  const at = (name: string) => join(root, name)
  await writeChatModel(at('model'), 'model', { says: numbers })
  await writeChatModel(at('other'), 'other', { says: numbers })
  const made = await callCli([
    'environment',
    'create',
    '--kind',
    'reasoning',
    '--model',
    at('model'),
    '--out',
    at('env.json'),
  ])
  expect(made).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^environment 0x\w{64} is in/) })
  const spec = { ...parseSpec(JSON.parse(readFileSync(at('env.json'), 'utf8'))), tasksPerRound: 4, groupSize: 8 }
  // So many answers that some have the form that is asked for, which is worth something, and others do not.
  const weights = { format: 0.5, accuracy: 0.5 }
  const small = parseSpec({ ...spec, owedLeaves: 32, sampledLeaves: 32, stages: 3, version: 4, weights })
  swarm = await startLiveSwarm({ chat: { spec: small, modelFolder: at('model'), judgeFolder: null } })
  const [solver, proposing] = [await swarm.newPeer('solver'), await swarm.newPeer('proposer')]
  const [unpaid, elsewhere] = [await swarm.newPeer('unpaid'), await swarm.newPeer('elsewhere')]
  const judges = [await swarm.newPeer('one'), await swarm.newPeer('other')]
  await swarm.enter(0)
  await expect(proposing.start('proposer')).rejects.toMatchObject({ code: 'ENVIRONMENT_MISMATCH' })
  const evaluators = await Promise.all(judges.map(judge => judge.start('evaluator')))
  for (const judge of judges) await swarm.admit(judge)
  const answering = await solver.start('solver')
  const learning = await unpaid.start('solver', { adapter: { rank: 4, base: 'int8' } })
  const straying = await elsewhere.start('solver', { adapter: { rank: 4 }, modelFolder: at('other') })
  await swarm.enter(2)
  // A name that comes after the round has begun is worth nothing in it.
  await answering.said('policy named', { round: 3 })
  await swarm.enter(3)
  await answering.said('rollouts committed', { round: 3 })
  expect(await answering.said('learned', { round: 3 })).toMatchObject({ tasks: 4, rollouts: 32 })
  // Unpaid work is not committed: the votes below are on one peer.
  const learned = { rollouts: 32, updates: expect.toSatisfy(updates => updates > 0) }
  const unpaidReport = { ...learned, unpaid: expect.stringMatching(/8-bit base/) }
  expect(await learning.said('learned', { round: 3 })).toMatchObject(unpaidReport)
  const strayReport = { ...learned, unpaid: expect.stringMatching(/is none of the environment's: 0x\w{64}$/) }
  const earnsNothing = 'its answers earn nothing: the policy learns, and nothing is committed'
  expect(await straying.said(earnsNothing)).toMatchObject({ level: 'warn', reason: strayReport.unpaid })
  expect(await straying.said('learned', { round: 3 })).toMatchObject(strayReport)
  const { said: status } = await elsewhere.waggle('status')
  expect(status).toMatchObject({ pointsMilli: 0, settlements: [] })
  expect(status.reports.at(-1)).toMatchObject(strayReport)
  const about = { ...swarm.contracts.rolloutCommitments, eventName: 'RolloutsCommitted', fromBlock: 0n } as const
  const committed = await swarm.chain.client.getContractEvents(about)
  expect(new Set(committed.map(({ args: { peerKey } }) => peerKey))).toEqual(new Set([solver.peerKey]))
  // The rounds to come are about the solver that is paid.
  await Promise.all([learning.stop(), straying.stop()])
  await swarm.enter(4)
  const votes = await Promise.all(evaluators.map(({ said }) => said('votes committed', { round: 3 })))
  const [[scoreMilli]] = votes.map(({ scores }) => scores as number[]) as [number[]]
  expect(scoreMilli).toSatisfy(milli => milli > 0 && milli <= 1000)
  expect(votes.map(({ scores }) => scores)).toEqual([[scoreMilli], [scoreMilli]])
  await swarm.enter(5)
  await Promise.all(evaluators.map(({ said }) => said('votes revealed', { round: 3 })))
  await swarm.enter(6)
  await Promise.race(evaluators.map(({ said }) => said('shard settled', { round: 3 })))
  await answering.said('policy named', { round: 7 })
  await swarm.enter(7)
  await answering.said('rollouts committed', { round: 7 })
  await swarm.enter(8)
  const critiques = await Promise.all(evaluators.map(({ said }) => said('votes committed', { round: 7 })))
  // Both seats know the prompts: what is answered to others counts nothing.
  expect(critiques.map(({ scores }) => scores)).toEqual(
    Array(2).fill([expect.toSatisfy(milli => milli > 0 && milli <= 1000)]),
  )
  const named = ['--peer', solver.peerId, '--model', at('model'), '--environment', at('played.json')]
  writeFileSync(at('played.json'), JSON.stringify(small))
  const exported = await solver.waggle('bundle', 'export', at('7.jsonl'), '--round', '7', ...named)
  expect(exported).toMatchObject({ code: 0 })
  const tokenizer = await openTokenizer(at('model'))
  const lines = readFileSync(at('7.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const prompts = await Promise.all(lines.map(line => tokenizer.decode(Int32Array.from(line.promptTokens), 'keep')))
  await tokenizer.close()
  expect(prompts).toHaveLength(32)
  for (const prompt of prompts) expect(prompt).toMatch(/Other solvers answered, rightly or wrongly:\n1\. .+\n/)
})
