import { createTrainer } from '../../../node/model/src/rl/trainer.ts'
import { mapYielding } from '../../../node/src/core/threads/mapYielding.ts'
import { type SeededRandom, seededRandom } from '../../../node/src/environments/seededRandom.ts'
import { calibrate } from '../calibrate.ts'
import { drawDamaged } from '../damageCode.ts'
import { type Executed, execute, relabelled } from '../execute.ts'
import { drawMiscalculated } from '../miscalculate.ts'
import { judgeExample } from '../sequences.ts'
import { trainOnStream } from '../trainOnStream.ts'
import { proceduralExamples } from './judgeStage.ts'
import { type Stage, type StageContext, withSandbox } from './stage.ts'

/** Failing answers that are read from each pool, and right ones that are kept with them. */
const failingPerPool = 3_000
const rightPerPool = 1_000

/**
 * Trains the judge on what it met: the solver's answers, those that fooled it, and damaged or miscalculated code. Wrong code gets the text
 * that it deserves, or `<no>`.
 */
export const hardeningStage: Stage = async context =>
  withSandbox(async sandbox => {
    const { settings, seed, threads, work, say, now } = context
    const { hardening } = settings
    const tokenizer = await work.tokenizer()
    const { config, weights } = await work.model('judge-plain')
    const random = seededRandom(`${seed} hardening`)
    const hard = await hardPool(context, random)
    const drawn = [
      ...(await drawDamaged(settings.damaged, random)),
      ...(await drawMiscalculated(settings.miscalculated, random)),
    ]
    const changed = await execute(sandbox, drawn, random)
    hard.push(...changed.map(attempt => relabelled(attempt, random)).filter(found => found !== null))
    say(`${hard.length} hard pairs, ${hard.filter(({ isRight }) => isRight).length} of them with a text`)

    const trainer = await createTrainer(config, weights, { threads, optimizer: { kind: 'muon' } })
    const half = Math.ceil(hardening.chunk / 2)
    const chunk = async (index: number) => {
      const draws = seededRandom(`${seed} hardening ${index}`)
      const { brokenWeight } = hardening
      const plain = await proceduralExamples(half, brokenWeight, tokenizer, sandbox, draws)
      const drawn = draws.shuffled(hard).slice(0, half)
      const examples = await mapYielding(drawn, ({ code, task, isRight }) =>
        judgeExample(tokenizer, code, task, isRight, brokenWeight),
      )
      return [...plain, ...examples.filter(example => example !== null)]
    }
    const result = await trainOnStream(trainer, chunk, { ...hardening, seed: seed + 1, say, now })
    await trainer.dispose()
    await work.writeModel('judge', { config, weights })
    const calibration = await calibrate({ config, weights }, context)
    await work.writeJson('judge-calibration', calibration)
    return { hardPairs: hard.length, ...result, calibration }
  })

/** Answers of the base solver and of those trained against the judge, relabelled; only what is certain is kept. */
async function hardPool({ work }: StageContext, random: SeededRandom): Promise<Executed[]> {
  const kept: Executed[] = []
  for (const name of ['pool', 'attack-0', 'attack-1']) {
    const pool = random.shuffled((await work.json<Executed[]>(name)) ?? [])
    kept.push(...pool.filter(answer => answer.isRight).slice(0, rightPerPool))
    for (const wrong of pool.filter(answer => !answer.isRight).slice(0, failingPerPool)) {
      const found = relabelled(wrong, random)
      // Without a text, code that neither breaks nor fools may deserve one two concepts away.
      if (found && (found.isRight || found.isBroken || found.origin === 'fooled')) kept.push(found)
    }
  }
  return kept
}
