import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { hashWeights } from '../../node/model/src/model/decoder/weights.ts'
import { createGenerator } from '../../node/model/src/model/generation/generate.ts'
import { seededRandom } from '../../node/src/environments/seededRandom.ts'
import { createSandbox } from '../../node/src/sandbox/createSandbox.ts'
import type { Bar } from './bars.ts'
import { nearMissMix } from './calibrate.ts'
import { drawCandidates } from './candidates.ts'
import { execute } from './execute.ts'
import type { ModelFacts } from './modelCard.ts'
import { readExported } from './readExported.ts'
import { sampleProposals } from './sampleProposals.ts'
import { accuracyOf } from './stages/measureStage.ts'

const folder = join(import.meta.dirname, '../../node/models/starter')
const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')) as {
  models: Record<'solver' | 'judge', ModelFacts>
  bars: Bar[]
}
const { solver, judge, tokenizer } = await readExported(folder, 1)
const sandbox = createSandbox()
afterAll(async () => {
  await sandbox.close()
  await judge.dispose()
})

test('The committed weights are those that the report and the cards speak of, in at most 8 MB.', async () => {
  expect(hashWeights(solver.weights)).toBe(report.models.solver.weightsHash)
  let bytes = 0
  for (const name of ['solver', 'judge'] as const) {
    bytes += (await stat(join(folder, name, 'model.safetensors'))).size
    expect(await readFile(join(folder, name, 'README.md'), 'utf8')).toContain(report.models[name].weightsHash)
  }
  expect(bytes).toBeLessThan(8e6)
})

test('All bars held when the models were made.', () => {
  expect(report.bars.filter(({ holds }) => !holds)).toEqual([])
})

test('The judge still tells right from wrong on held-out functions.', async () => {
  const random = seededRandom('committed judge')
  const candidates = drawCandidates(120, random, { mix: nearMissMix, level: 3, heldOut: true })
  const accuracy = await accuracyOf(judge, await execute(sandbox, candidates, random))
  expect(accuracy.balanced).toBeGreaterThan(0.85)
})

test('The solver still proposes well-formed problems, and few that are held out.', async () => {
  const generator = createGenerator(solver.config, solver.weights)
  const proposals = await sampleProposals(generator, tokenizer, 3, 40, 'committed')
  await generator.dispose()
  expect(proposals.filter(({ fault }) => fault === null).length).toBeGreaterThanOrEqual(34)
  expect(proposals.filter(({ task }) => task !== null).length).toBeGreaterThanOrEqual(24)
})
