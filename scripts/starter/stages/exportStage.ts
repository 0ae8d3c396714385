import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatDecoderConfig, readDecoderConfig } from '../../../node/model/src/model/decoder/decoderConfig.ts'
import { hashWeights, readWeights, writeWeights } from '../../../node/model/src/model/decoder/weights.ts'
import { contentId } from '../../../node/src/core/contentId.ts'
import { judgeConfigPart } from '../../../node/src/environments/codezero/judge/backTranslation.ts'
import type { Stage } from './stage.ts'

export const exportedModels = ['solver', 'judge'] as const
export type ExportedModel = (typeof exportedModels)[number]

/** Both models as bfloat16 safetensors with tokenizer and configuration: what is committed, and what is measured. */
export const exportStage: Stage = async ({ work, out }) => {
  const files: Record<string, unknown> = {}
  for (const name of exportedModels) {
    const folder = join(out, name)
    const { config, weights } = await work.model(name)
    const extra = name === 'judge' ? judgeConfigPart(await work.calibration('judge')) : {}
    await mkdir(folder, { recursive: true })
    await writeWeights(join(folder, 'model.safetensors'), weights, 'BF16')
    await writeFile(
      join(folder, 'config.json'),
      `${JSON.stringify({ ...formatDecoderConfig(config), torch_dtype: 'bfloat16', ...extra }, null, 2)}\n`,
    )
    await cp(join(work.path, 'tokenizer.json'), join(folder, 'tokenizer.json'))
    const rounded = await readWeights(folder, await readDecoderConfig(folder))
    const file = await readFile(join(folder, 'model.safetensors'))
    files[name] = { weightsHash: hashWeights(rounded), fileHash: contentId(file), bytes: file.length }
  }
  return files
}
