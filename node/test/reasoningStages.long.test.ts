import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseSpec } from '#environments/builtIn.ts'
import { openTokenizer } from '#model/tokenizers/tokenizerClient.ts'
import { writeChatModel } from './chatModelFolder.ts'
import { runCli } from './cliProcess.ts'
import { type LiveSwarm, startLiveSwarm } from './liveSwarm.ts'

let swarm: LiveSwarm
afterAll(() => swarm?.stop())

/** Digits and the end of a turn, in the tokenizer of the tests. */
const numbers = [...Array.from({ length: 10 }, (_, digit) => 15 + digit), 422]

test('a whole episode of three stages is answered, scored alike by both seats, and settled', async () => {
  const root = mkdtempSync(join(tmpdir(), 'waggle-stages-'))
  const at = (name: string) => join(root, name)
  await writeChatModel(at('model'), 'model', { says: numbers })
  await runCli(['environment', '--kind', 'reasoning', '--model', at('model'), '--out', at('env.json')])
  const made = parseSpec(JSON.parse(readFileSync(at('env.json'), 'utf8')))
  const spec = { ...made, tasksPerRound: 2, groupSize: 4, owedLeaves: 8, sampledLeaves: 8, stages: 3 }
  writeFileSync(at('played.json'), JSON.stringify(spec))
  swarm = await startLiveSwarm({ chat: { spec, modelFolder: at('model'), judgeFolder: null } })
  const solver = await swarm.newPeer('solver')
  const judges = [await swarm.newPeer('one'), await swarm.newPeer('other')]
  await swarm.enter(0)
  const evaluators = await Promise.all(judges.map(judge => judge.start('evaluator')))
  for (const judge of judges) await swarm.admit(judge)
  const solving = await solver.start('solver')
  await swarm.enter(2)
  for (const round of [3, 7, 11]) {
    await swarm.enter(round)
    await solving.said('rollouts committed', { round })
    expect(await solving.said('learned', { round })).toMatchObject({ tasks: 2, rollouts: 8, refused: {} })
    await swarm.enter(round + 1)
    const votes = await Promise.all(evaluators.map(({ said }) => said('votes committed', { round })))
    const [[scoreMilli]] = votes.map(({ scores }) => scores as number[]) as [number[]]
    expect(scoreMilli).toSatisfy(milli => milli >= 0 && milli <= 1000)
    expect(votes.map(({ scores }) => scores)).toEqual([[scoreMilli], [scoreMilli]])
    await swarm.enter(round + 2)
    await Promise.all(evaluators.map(({ said }) => said('votes revealed', { round })))
    await swarm.enter(round + 3)
    await Promise.race(evaluators.map(({ said }) => said('shard settled', { round })))
  }
  const tokenizer = await openTokenizer(at('model'))
  const named = ['--peer', solver.peerId, '--model', at('model'), '--environment', at('played.json')]
  for (const [round, introduction] of [
    [7, 'Other solvers answered, rightly or wrongly:'],
    [11, 'Other solvers read such answers, and then wrote, rightly or wrongly:'],
  ] as const) {
    const file = at(`${round}.jsonl`)
    expect(await solver.waggle('bundle', 'export', file, '--round', String(round), ...named)).toMatchObject({ code: 0 })
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    expect(lines).toHaveLength(8)
    for (const line of lines)
      expect(await tokenizer.decode(Int32Array.from(JSON.parse(line).promptTokens), 'keep')).toMatch(
        new RegExp(`${introduction}\n1\\. .+\n`),
      )
  }
  await tokenizer.close()
})
