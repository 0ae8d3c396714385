import { drawTrainingTask } from '../../../node/src/environments/codezero/curriculum/drawTask.ts'
import { environmentFrom, presets } from '../../../node/src/environments/codezero/presets.ts'
import { seededRandom } from '../../../node/src/environments/seededRandom.ts'
import { createGrpoPeer, type GrpoPeer, meanReward } from '../grpoPeer.ts'
import { openJudge } from '../openModels.ts'
import { executeAnswers, sampleAnswers } from '../sampleAnswers.ts'
import { type Stage, type StageContext, withSandbox } from './stage.ts'

/** Judged above this though wrong, an answer fools the judge. */
const FOOLED = 0.3

/**
 * Trains a solver against the judge at a rate that is too high on purpose, and keeps its answers with their labels: what
 * it finds is what the judge must learn.
 *
 * @param index - of the settings' attacks; without one nothing is done.
 */
export const attackStage =
  (index: number): Stage =>
  async context => {
    const attack = context.settings.attacks[index]
    if (!attack) {
      await context.work.writeJson(`attack-${index}`, [])
      return {}
    }
    const { seed, threads, work, say } = context
    const { rounds, learningRate, warmUpRounds, epochs, name } = attack
    const spec = environmentFrom('starter', { training: { ...presets.starter.training, learningRate, warmUpRounds } })
    const tokenizer = await work.tokenizer()
    const judge = openJudge(await work.model('judge-plain'), tokenizer, await work.calibration('judge-plain'), threads)
    const base = await work.model('solver')
    const peer = await createGrpoPeer({
      ...{ base, tokenizer, judge, spec, level: 3, threads },
      seed: `${seed} attack ${name}`,
    })
    const rewards: number[] = []
    for (let round = 0; round < rounds; round++) {
      const groups = await peer.rollouts(round)
      rewards.push(meanReward(groups))
      await peer.update(groups, round, epochs)
      if (round % 10 === 9) say(`round ${round + 1}, mean reward ${mean(rewards.slice(-5)).toFixed(3)}`)
    }
    const figures = await dumpAnswers(peer, judge, index, context)
    await peer.dispose()
    await judge.dispose()
    return { name, firstReward: mean(rewards.slice(0, 5)), lastReward: mean(rewards.slice(-5)), ...figures }
  }

async function dumpAnswers(
  peer: GrpoPeer,
  judge: ReturnType<typeof openJudge>,
  index: number,
  { settings, seed, work }: StageContext,
): Promise<Record<string, number>> {
  const tokenizer = await work.tokenizer()
  const random = seededRandom(`${seed} dump ${index}`)
  const tasks = Array.from({ length: settings.dumpTasks }, () => drawTrainingTask(random.pick([2, 3, 3, 3, 4]), random))
  const sampling = { samples: 4, temperature: 1, seed: `${seed} dump ${index}` }
  const answers = await sampleAnswers(peer.generator, tokenizer, tasks, sampling)
  const executed = await withSandbox(sandbox => executeAnswers(sandbox, answers, random))
  const predicted = await judge.predictCorrectness(executed.map(({ code, task }) => ({ code, problem: task })))
  const marked = executed.map((answer, i) =>
    !answer.isRight && (predicted[i] ?? 0) > FOOLED ? { ...answer, origin: 'fooled' } : answer,
  )
  await work.writeJson(`attack-${index}`, marked)
  const right = marked.filter(answer => answer.isRight).length
  return { answers: marked.length, right, fooled: marked.filter(answer => answer.origin === 'fooled').length }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
