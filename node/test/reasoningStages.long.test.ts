import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseSpec } from '#environments/builtIn.ts'
import { openTokenizer } from '#model/tokenizers/tokenizerClient.ts'
import { writeChatModel } from './chatModelFolder.ts'
import { runCli } from './cliProcess.ts'
import { type LivePeer, type LiveSwarm, startLiveSwarm } from './liveSwarm.ts'

let swarm: LiveSwarm
afterAll(() => swarm?.stop())

/** Digits, a new line and the end of a turn, in the tokenizer of the tests. */
const says = [...Array.from({ length: 10 }, (_, digit) => 15 + digit), 198, 422]

/** So many answers to so many questions that some have the form that is asked for, and others do not. */
const played = { tasksPerRound: 4, groupSize: 16, owedLeaves: 64, sampledLeaves: 64, stages: 3, version: 4 } as const
const weights = { format: 0.5, accuracy: 0.3, majority: 0.2 }

test('two solvers answer, criticise and revise with what the other wrote: both seats score each stage alike, it is settled, and adapters learn from it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'waggle-stages-'))
  const at = (name: string) => join(root, name)
  await writeChatModel(at('model'), 'model', { says })
  await runCli(['environment', 'create', '--kind', 'reasoning', '--model', at('model'), '--out', at('env.json')])
  const made = parseSpec(JSON.parse(readFileSync(at('env.json'), 'utf8')))
  const spec = parseSpec({ ...made, ...played, weights })
  writeFileSync(at('played.json'), JSON.stringify(spec))
  swarm = await startLiveSwarm({ chat: { spec, modelFolder: at('model'), judgeFolder: null } })
  const solvers = [await swarm.newPeer('solver'), await swarm.newPeer('peer')]
  const judges = [await swarm.newPeer('one'), await swarm.newPeer('other')]
  await swarm.enter(0)
  const evaluators = await Promise.all(judges.map(judge => judge.start('evaluator')))
  for (const judge of judges) await swarm.admit(judge)
  const solving = await Promise.all(solvers.map(solver => solver.start('solver', { adapter: { rank: 4 } })))
  await swarm.enter(2)
  await Promise.all(solving.map(({ said }) => said('policy named', { round: 3 })))
  // No round ends before its answers are committed, learned from and scored, however slow the machine is.
  for (let round = 3; round <= 14; round++) {
    await swarm.enter(round)
    if (round <= 11) for (const { said } of solving) await learnedIn(said, round)
    if (round > 3 && round <= 12) await scoredAlike(evaluators, round - 1)
    if (round > 4 && round <= 13)
      await Promise.all(evaluators.map(({ said }) => said('votes revealed', { round: round - 2 })))
    if (round > 5) await Promise.race(evaluators.map(({ said }) => said('shard settled', { round: round - 3 })))
  }
  const exported = (solver: LivePeer, round: number) => linesOf(solver, round, { root, model: at('model') })
  for (const [round, introduction] of [
    [7, 'Other solvers answered, rightly or wrongly:'],
    [11, 'Other solvers read such answers, and then wrote, rightly or wrongly:'],
  ] as const) {
    // One after another: a process runs one command at a time.
    const before = []
    for (const solver of solvers) before.push(await exported(solver, round - 4))
    const answers = before.map(lines => new Set(lines.map(({ text }) => text.replace(/\s+/g, ' ').trim())))
    for (const [i, solver] of solvers.entries()) {
      const lines = await exported(solver, round)
      expect(lines).toHaveLength(64)
      const quotes = lines.map(({ prompt }) => quotedIn(prompt, introduction))
      for (const quoted of quotes) expect(quoted.length).toBeGreaterThan(0)
      const [own, others] = [answers[i], answers[1 - i]]
      expect(quotes.flat().some(text => others?.has(text) && !own?.has(text))).toBe(true)
    }
  }
})

type Said = Awaited<ReturnType<LivePeer['start']>>['said']

/** A solver's own answers moved its adapter, and the moved one is named for the next round. */
async function learnedIn(said: Said, round: number): Promise<void> {
  await said('rollouts committed', { round })
  expect(await said('update', { round, peer: null })).toMatchObject({
    ...{ groups: 4, ownGroups: 4, failure: null, loss: expect.toSatisfy(Number.isFinite) },
    gradientNorm: expect.toSatisfy(norm => norm > 0),
  })
  const learned = await said('learned', { round })
  expect(learned).toMatchObject({ tasks: 4, rollouts: 64, updates: expect.toSatisfy(updates => updates > 0) })
  const [before, after] = [await said('policy named', { round }), await said('policy named', { round: round + 1 })]
  expect(after.hash).not.toBe(before.hash)
}

async function scoredAlike(evaluators: readonly { said: Said }[], round: number): Promise<void> {
  const votes = await Promise.all(evaluators.map(({ said }) => said('votes committed', { round })))
  const [scores] = votes.map(vote => vote.scores)
  expect(scores).toEqual(Array(2).fill(expect.toSatisfy(milli => milli > 0 && milli <= 1000)))
  expect(votes.map(vote => vote.scores)).toEqual([scores, scores])
}

/** Answers of a solver in a round, with the text of its prompts. */
async function linesOf(solver: LivePeer, round: number, { root, model }: { root: string; model: string }) {
  const file = join(root, `${solver.name}-${round}.jsonl`)
  const named = ['--peer', solver.peerId, '--model', model, '--environment', join(root, 'played.json')]
  expect(await solver.waggle('bundle', 'export', file, '--round', String(round), ...named)).toMatchObject({ code: 0 })
  const tokenizer = await openTokenizer(model)
  const lines: { text: string; promptTokens: number[] }[] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const prompts = await Promise.all(lines.map(line => tokenizer.decode(Int32Array.from(line.promptTokens), 'keep')))
  await tokenizer.close()
  return lines.map(({ text }, i) => ({ text, prompt: prompts[i] as string }))
}

/** The numbered lines after the last introduction: the example turns before it have one too. */
function quotedIn(prompt: string, introduction: string): string[] {
  const after = prompt.split(`${introduction}\n`).slice(1).at(-1) ?? ''
  return [...after.matchAll(/^\d\. (.+)$/gm)].map(([, text]) => text as string)
}
