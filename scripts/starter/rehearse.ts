/**
 * Measures whether it pays to train on the tasks of a round while its policy can still be named. Tasks are on the chain a round ahead;
 * which of them a solver draws is known later. A solver of the starter that trains on all of them before each round, one that trains as
 * much on other tasks, and one that does neither; their scores, by the committed judge.
 *
 *   node scripts/starter/rehearse.ts [--seeds 4] [--rounds 24] [--tasks 24] [--json]
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { drawTrainingTask } from '../../node/src/environments/codezero/curriculum/drawTask.ts'
import { environmentFrom } from '../../node/src/environments/codezero/presets.ts'
import { seededRandom } from '../../node/src/environments/seededRandom.ts'
import { createGrpoPeer, meanReward } from './grpoPeer.ts'
import { readExported } from './readExported.ts'

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '24' },
    /** Tasks of the round, on the chain. */
    tasks: { type: 'string', default: '24' },
    json: { type: 'boolean', default: false },
  },
})
const [seeds, rounds, tasks] = [Number(options.seeds), Number(options.rounds), Number(options.tasks)]
const arms = ['plain', 'other tasks', 'the tasks of the round'] as const
type Arm = (typeof arms)[number]

const { solver, judge, tokenizer } = await readExported(resolve(import.meta.dirname, '../../node/models/starter'), 1)
const spec = environmentFrom('starter')
const drawn = (name: string) => {
  const random = seededRandom(name)
  return Array.from({ length: tasks }, () => drawTrainingTask(3, random))
}

/** Mean scores of the rounds. */
async function play(arm: Arm, seed: number): Promise<number[]> {
  const peer = await createGrpoPeer({ base: solver, tokenizer, judge, spec, level: 3, threads: 1, seed: `${seed}` })
  const scores: number[] = []
  for (let round = 0; round < rounds; round++) {
    const known = drawn(`${seed} round ${round}`)
    const rehearsed = arm === 'plain' ? [] : arm === 'other tasks' ? drawn(`${seed} other ${round}`) : known
    for (let at = 0; at < rehearsed.length; at += spec.tasksPerRound) {
      const some = rehearsed.slice(at, at + spec.tasksPerRound)
      await peer.update(await peer.rollouts(rounds + round * tasks + at, some), round)
    }
    const groups = await peer.rollouts(
      round,
      seededRandom(`${seed} draw ${round}`).shuffled(known).slice(0, spec.tasksPerRound),
    )
    scores.push(meanReward(groups))
    await peer.update(groups, round)
  }
  await peer.dispose()
  return scores
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const runs: { arm: Arm; seed: number; score: number; lastScore: number }[] = []
for (let seed = 1; seed <= seeds; seed++)
  for (const arm of arms) {
    const scores = await play(arm, seed)
    runs.push({ arm, seed, score: mean(scores), lastScore: mean(scores.slice(-Math.ceil(rounds / 3))) })
    process.stderr.write(`${JSON.stringify(runs.at(-1))}\n`)
  }
await judge.dispose()
const of = (arm: Arm, field: 'score' | 'lastScore') => runs.filter(run => run.arm === arm).map(run => run[field])
const summary = arms.map(arm => ({ arm, score: mean(of(arm, 'score')), lastScore: mean(of(arm, 'lastScore')) }))
/** By seed: what knowing the tasks adds to training as much on others. */
const known = of('the tasks of the round', 'score').map((score, i) => score - (of('other tasks', 'score')[i] as number))
if (options.json) console.log(JSON.stringify({ runs, summary, known }))
else {
  console.table(summary)
  console.log(`knowing the tasks adds ${mean(known).toFixed(4)}: ${known.map(gain => gain.toFixed(3)).join(', ')}`)
}
