import { join } from 'node:path'
import { readDecoderConfig } from '../../node/model/src/model/decoder/decoderConfig.ts'
import { readWeights } from '../../node/model/src/model/decoder/weights.ts'
import { Tokenizer } from '../../node/model/src/model/tokenizers/tokenizer.ts'
import { readJudgeCalibration } from '../../node/src/environments/codezero/judge/backTranslation.ts'
import { type OpenJudge, openJudge } from './openModels.ts'
import type { StoredModel } from './workFolder.ts'

/** The exported models, read back as a peer reads them, so that what is measured is what is committed. */
export async function readExported(
  out: string,
  threads: number,
): Promise<{ solver: StoredModel; judge: OpenJudge; tokenizer: Tokenizer }> {
  const read = async (name: string): Promise<StoredModel> => {
    const config = await readDecoderConfig(join(out, name))
    return { config, weights: await readWeights(join(out, name), config) }
  }
  const tokenizer = await Tokenizer.read(join(out, 'judge', 'tokenizer.json'))
  const calibration = await readJudgeCalibration(join(out, 'judge'))
  return {
    solver: await read('solver'),
    judge: openJudge(await read('judge'), tokenizer, calibration, threads),
    tokenizer,
  }
}
