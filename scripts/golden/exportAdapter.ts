/**
 * Trains a small adapter, exports it and the merged model, and writes the logits that both should give, for
 * `python scripts/golden/trainingVectors.py check FOLDER`:
 *
 *     node scripts/golden/exportAdapter.ts FOLDER
 */
import { join } from 'node:path'
import { readDecoderConfig } from '../../node/model/src/model/decoder/decoderConfig.ts'
import { readWeights, type Weights } from '../../node/model/src/model/decoder/weights.ts'
import { writeSafetensors } from '../../node/model/src/model/files/safetensors.ts'
import { initLora, type LoraAdapter, mergeLora } from '../../node/model/src/model/lora/loraFactors.ts'
import { writeLora } from '../../node/model/src/model/lora/loraFiles.ts'
import { positionLogits } from '../../node/model/src/model/scoring/positionLogits.ts'
import { writeModel } from '../../node/model/src/model/writeModel.ts'
import { createTrainer } from '../../node/model/src/rl/trainer.ts'

const folder = process.argv[2]
if (!folder) throw new Error('usage: node scripts/golden/exportAdapter.ts FOLDER')

const base = join(import.meta.dirname, '../../node/test/training.golden/base')
const config = await readDecoderConfig(base)
const weights = await readWeights(base, config)
const adapter = initLora(
  config,
  { rank: 3, alpha: 12, targets: ['q_proj', 'o_proj', 'down_proj'], rankStabilized: true },
  'e',
)
const tokens = Int32Array.of(7, 3, 30, 12, 25, 8)

await trainOn(adapter)
const merged = mergeLora(weights, adapter)
await writeModel(join(folder, 'base'), config, weights)
await writeLora(join(folder, 'adapter'), adapter, 'base')
await writeModel(join(folder, 'merged'), config, merged)
const logits = await logitsOf(merged)
await writeSafetensors(
  join(folder, 'logits.safetensors'),
  new Map([
    ['tokens', { shape: [tokens.length], data: Float32Array.from(tokens) }],
    ['adapter', logits],
    ['merged', logits],
  ]),
  'F32',
)

async function trainOn(trained: LoraAdapter): Promise<void> {
  const trainer = await createTrainer(config, weights, { adapter: trained })
  const scored = Int32Array.of(1, 2, 3, 4, 5)
  const sequence = { tokens, scored, weights: new Float32Array(scored.length).fill(1) }
  for (let step = 0; step < 5; step++) await trainer.crossEntropyStep([sequence], 0.05)
  await trainer.dispose()
}

async function logitsOf(of: Weights) {
  const rows: Float32Array[] = []
  for await (const row of positionLogits({ config, weights: of }, tokens)) rows.push(row)
  return { shape: [tokens.length, config.vocabSize], data: Float32Array.from(rows.flatMap(row => [...row])) }
}
