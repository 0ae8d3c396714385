import { mkdirSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type DecoderConfig,
  formatDecoderConfig,
  readDecoderConfig,
} from '../../node/model/src/model/decoder/decoderConfig.ts'
import { readWeights, type Weights, writeWeights } from '../../node/model/src/model/decoder/weights.ts'
import { Tokenizer } from '../../node/model/src/model/tokenizers/tokenizer.ts'
import {
  type JudgeCalibration,
  judgeCalibrationSchema,
} from '../../node/src/environments/codezero/judge/judgeCalibration.ts'

export type StoredModel = { config: DecoderConfig; weights: Weights }

/** Metadata of a finished stage. */
export type Marker = { hash: string; seconds: number; result: Record<string, unknown> }

/** The stages' outputs on disk, so that an interrupted run resumes with the first unfinished stage. */
export type WorkFolder = {
  path: string
  tokenizer(): Promise<Tokenizer>
  writeModel(name: string, model: StoredModel): Promise<void>
  model(name: string): Promise<StoredModel>
  writeJson(name: string, value: unknown): Promise<void>
  /** null if it was never written. */
  json<T>(name: string): Promise<T | null>
  calibration(name: string): Promise<JudgeCalibration>
}

export function openWorkFolder(path: string): WorkFolder {
  mkdirSync(path, { recursive: true })
  const writeJson = async (name: string, value: unknown) => {
    const file = join(path, `${name}.json`)
    await writeFile(
      `${file}.part`,
      JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v)),
    )
    await rename(`${file}.part`, file)
  }
  const json = async <T>(name: string): Promise<T | null> => {
    try {
      const text = await readFile(join(path, `${name}.json`), 'utf8')
      return JSON.parse(text, (_, v) => (typeof v === 'string' && /^-?\d+n$/.test(v) ? BigInt(v.slice(0, -1)) : v)) as T
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }
  return {
    path,
    writeJson,
    json,
    tokenizer: () => Tokenizer.read(join(path, 'tokenizer.json')),
    writeModel: async (name, { config, weights }) => {
      mkdirSync(join(path, name), { recursive: true })
      await writeJson(join(name, 'config'), formatDecoderConfig(config))
      await writeWeights(join(path, name, 'model.safetensors'), weights, 'F32')
    },
    model: async name => {
      const config = await readDecoderConfig(join(path, name))
      return { config, weights: await readWeights(join(path, name), config) }
    },
    calibration: async name => judgeCalibrationSchema.parse(await json(`${name}-calibration`)),
  }
}
