import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type LivePeer, type LiveSwarm, startLiveSwarm } from './liveSwarm.ts'

let swarm: LiveSwarm
afterAll(() => swarm?.stop())

test('a proposer learns from how much solvers got right of its tasks, by what the chain settled and what seats published, and goes on after a restart', async () => {
  swarm = await startLiveSwarm()
  const [solver, author] = [await swarm.newPeer('solver'), await swarm.newPeer('proposer')]
  const judges = [await swarm.newPeer('one'), await swarm.newPeer('other')]
  for (const judge of judges) await swarm.admit(judge)
  const evaluators = await Promise.all(judges.map(judge => judge.start('evaluator')))
  const solving = await solver.start('solver')
  let proposing = await author.start('proposer', { adapter: { rank: 4 } })
  await swarm.enter(0)
  await proposing.said('secret committed', { round: 2 })
  const RESTART = 6
  for (let round = 1; round <= 7; round++) {
    await swarm.enter(round)
    await proposing.said('tasks proposed', { round: round + 1 })
    if (round >= 2) await solving.said('learned', { round })
    if (round >= 3) await Promise.all(evaluators.map(({ said }) => said('votes committed', { round: round - 1 })))
    if (round >= 4) await Promise.all(evaluators.map(({ said }) => said('votes revealed', { round: round - 2 })))
    if (round >= 5) await Promise.race(evaluators.map(({ said }) => said('shard settled', { round: round - 3 })))
    if (round < RESTART) continue
    const learned = await proposing.said('learned from tasks', { round: round - 4 })
    expect(learned).toMatchObject({ learned: true, failure: null })
    for (const share of ['reward', 'solved', 'validShare'])
      expect(learned[share]).toSatisfy(value => value > 0 && value <= 1)
    expect(stepsOf(author).at(-1)).toMatchObject({ groupsUsed: 1, validShare: learned.validShare, kl: learned.kl })
    expect(existsSync(join(author.data, 'proposer', 'adapter_model.safetensors'))).toBe(true)
    if (round > RESTART) continue
    await proposing.stop()
    // The kept policy is resumed without being requested.
    proposing = await author.start('proposer')
  }
  expect(stepsOf(author)).toHaveLength(2)
  const { said } = await author.waggle('status')
  expect(JSON.stringify(said)).toContain('"learned":true')
})

/** The updates that a peer noted. */
function stepsOf({ data }: LivePeer): Record<string, unknown>[] {
  const lines = readFileSync(join(data, 'training.jsonl'), 'utf8').trim().split('\n')
  return lines.map(line => JSON.parse(line))
}
