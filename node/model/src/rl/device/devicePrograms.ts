import type { Device } from '#engine/devices/device.ts'
import type { OnnxModel } from '#engine/onnxModel.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import { initWeights } from '#model/decoder/initWeights.ts'
import type { Weights } from '#model/decoder/weights.ts'
import { buildGenerationModel } from '#model/generation/generationGraph.ts'
import { allLinear, stepPrecisions } from '#model/lora/loraConfig.ts'
import { bakedParts, frozenParts } from '#model/quantization/frozenParts.ts'
import type { FrozenTensors } from '#model/quantization/frozenTensors.ts'
import type { Precision } from '#model/quantization/precision.ts'
import { quantizeWeights } from '#model/quantization/quantizedTensors.ts'
import { buildScoringModel } from '#model/scoring/scoringGraph.ts'
import { headModel } from '../layered/headModel.ts'
import { layerModels } from '../layered/layerModels.ts'
import { adamWModel } from '../optimizers/adamWGraph.ts'
import { lossModel, policyLossKind } from '../passes/trainingGraphs.ts'

/** Tokens of a vocabulary in two parts of an output layer, drawn in blocks. */
const PARTED_VOCABULARY = 8320

/** A model of the same family in two narrow layers: which ops a program has, and so where they run, does not depend on sizes. */
function narrowed(config: DecoderConfig): DecoderConfig {
  const vocabSize = Math.min(config.vocabSize, PARTED_VOCABULARY + (config.vocabSize % 128 === 0 ? 0 : 1))
  const heads = config.heads / config.kvHeads
  return { ...config, vocabSize, heads, kvHeads: 1, headDim: 16, hiddenSize: 32, intermediateSize: 64, layers: 2 }
}

/** Weights in memory for products in float16. */
const inFloat16 = (weights: Weights): FrozenTensors => ({
  precision: 'float16',
  constants: new Map([...weights].map(([name, { shape, data }]) => [name, { dtype: 'f32', shape, content: data }])),
  blockSize: 0,
  isFused: () => true,
})

/** Everything that a peer runs on a device for a decoder, by name, as programs of its narrow twin. Draws of published policies are read on the CPU. */
export async function devicePrograms(of: DecoderConfig, device: Device): Promise<Map<string, OnnxModel>> {
  const config = narrowed(of)
  const weights = initWeights(config, 'devices')
  const frozen = async (precision: Precision) =>
    precision === 'float32'
      ? bakedParts(config, weights)
      : frozenParts(
          config,
          precision === 'float16' ? inFloat16(weights) : await quantizeWeights(config, weights, precision),
        )
  const programs = new Map<string, OnnxModel>()
  for (const precision of ['float32', 'float16', 'int8', 'int4'] as const) {
    const parts = await frozen(precision)
    programs.set(`generation, ${precision}`, buildGenerationModel(config, parts, device))
    programs.set(`scoring, ${precision}`, buildScoringModel(config, parts, ['logprobs', 'gaps'], device))
  }
  const loss = policyLossKind({ clipLow: 0.2, clipHigh: 0.28, klBeta: 0.1 })
  programs.set('training all weights, in one graph', lossModel(config, loss, { device }))
  const lora = { rank: 4, alpha: 8, targets: allLinear, rankStabilized: false }
  for (const precision of stepPrecisions) {
    for (const afterPrompt of [false, true]) {
      const { forward, backward } = layerModels(config, { device, lora, last: true, afterPrompt, precision })
      const name = `adapter on ${precision}${afterPrompt ? ', shared prompt' : ''}`
      programs.set(`${name}: layer forwards`, forward)
      programs.set(`${name}: layer backwards`, backward)
    }
    const head = headModel(config, loss, { device, precision, trained: () => false })
    programs.set(`adapter on ${precision}: output layer`, head)
  }
  programs.set('AdamW on a matrix', adamWModel(2, {}, device))
  return programs
}
