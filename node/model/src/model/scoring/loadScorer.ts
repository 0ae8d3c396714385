import { createSession } from '#engine/session.ts'
import { checkOptions, loadSchema } from '../checkOptions.ts'
import { readDecoderConfig } from '../decoder/decoderConfig.ts'
import { type LoadOptions, openFrozenTensors } from '../generation/loadGenerator.ts'
import { createFixedSession } from '../liveSession.ts'
import { frozenParts } from '../quantization/frozenParts.ts'
import { type Scorer, scorerOn } from './score.ts'
import { buildScoringModel } from './scoringGraph.ts'

/**
 * Makes a scorer of a model that does not change, from its Hugging Face folder, in float32, float16, int8 or int4: weights are read in place,
 * or from a quantised copy that the first call makes.
 *
 * @throws {ModelFileError} naming the file and the tensor or field that is missing, misshapen or malformed.
 */
export async function loadScorer(folder: string, options: LoadOptions = {}): Promise<Scorer> {
  checkOptions(loadSchema, options, 'loadScorer')
  const config = await readDecoderConfig(folder)
  const tensors = await openFrozenTensors(folder, config, options)
  const model = buildScoringModel(config, frozenParts(config, tensors), ['logprobs', 'gaps'], options.device)
  return scorerOn(config, createFixedSession(await createSession(model, { threads: options.threads ?? 2 })))
}
