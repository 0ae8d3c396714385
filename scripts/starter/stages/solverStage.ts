import { initWeights } from '../../../node/model/src/model/decoder/initWeights.ts'
import { createTrainer } from '../../../node/model/src/rl/trainer.ts'
import { seededRandom } from '../../../node/src/environments/seededRandom.ts'
import { solverExample } from '../sequences.ts'
import { decoderConfig } from '../settings.ts'
import { trainOnStream } from '../trainOnStream.ts'
import type { Stage } from './stage.ts'

/** The solver, from nothing, on a corpus that is wrong on purpose, and on proposals. */
export const solverStage: Stage = async ({ settings, seed, threads, work, say, now }) => {
  const { solver } = settings
  const tokenizer = await work.tokenizer()
  const config = decoderConfig(solver, tokenizer.vocabSize)
  const weights = initWeights(config, `${seed} solver`)
  const trainer = await createTrainer(config, weights, { threads, optimizer: { kind: 'muon' } })
  const chunk = async (index: number) => {
    const random = seededRandom(`${seed} solver corpus ${index}`)
    return Array.from({ length: solver.chunk }, () => solverExample(tokenizer, random, solver.proposalShare))
  }
  const result = await trainOnStream(trainer, chunk, { ...solver, seed, say, now })
  await trainer.dispose()
  await work.writeModel('solver', { config, weights })
  return { parameters: countParameters(weights), ...result }
}

export function countParameters(weights: ReadonlyMap<string, { data: Float32Array }>): number {
  return [...weights.values()].reduce((sum, { data }) => sum + data.length, 0)
}
