import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseSpec } from '#environments/builtIn.ts'
import { writeChatModel } from './chatModelFolder.ts'
import { runCli } from './cliProcess.ts'
import { type LiveSwarm, startLiveSwarm } from './liveSwarm.ts'

let swarm: LiveSwarm
afterAll(() => swarm?.stop())

test('the reasoning environment plays with no proposer and no judge model: a chat model answers the beacon’s questions, learns, and is paid points', {
  timeout: 240_000,
}, async () => {
  const root = mkdtempSync(join(tmpdir(), 'waggle-reasoning-'))
  const at = (name: string) => join(root, name)
  await writeChatModel(at('model'), 'model')
  const made = await runCli(['environment', '--kind', 'reasoning', '--model', at('model'), '--out', at('env.json')])
  expect(made).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^environment 0x\w{64} is in/) })
  const spec = { ...parseSpec(JSON.parse(readFileSync(at('env.json'), 'utf8'))), tasksPerRound: 2, groupSize: 4 }
  const small = { ...spec, owedLeaves: 8, sampledLeaves: 8 }
  swarm = await startLiveSwarm({ chat: { spec: small, modelFolder: at('model'), judgeFolder: null } })
  const [solver, proposing] = [await swarm.newPeer('solver'), await swarm.newPeer('proposer')]
  const judges = [await swarm.newPeer('one'), await swarm.newPeer('other')]
  await swarm.enter(0)
  await expect(proposing.start('proposer')).rejects.toMatchObject({ code: 'ENVIRONMENT_MISMATCH' })
  const evaluators = await Promise.all(judges.map(judge => judge.start('evaluator')))
  for (const judge of judges) await swarm.admit(judge)
  const answering = await solver.start('solver')
  for (const round of [2, 3]) await swarm.enter(round)
  await answering.said('rollouts committed', { round: 3 })
  expect(await answering.said('learned', { round: 3 })).toMatchObject({ tasks: 2, rollouts: 8 })
  await swarm.enter(4)
  const votes = await Promise.all(evaluators.map(({ said }) => said('votes committed', { round: 3 })))
  const [[scoreMilli]] = votes.map(({ scores }) => scores as number[]) as [number[]]
  expect(scoreMilli).toSatisfy(milli => milli >= 0 && milli <= 1000)
  expect(votes.map(({ scores }) => scores)).toEqual([[scoreMilli], [scoreMilli]])
  await swarm.enter(5)
  await Promise.all(evaluators.map(({ said }) => said('votes revealed', { round: 3 })))
  await swarm.enter(6)
  await Promise.race(evaluators.map(({ said }) => said('shard settled', { round: 3 })))
})
