import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { kindOf } from '#environments/builtIn.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import { isServerUrl } from '#hub/chatServer/serverAddress.ts'
import { readDecoderConfig } from '#model/decoderConfig.ts'
import { parameterCount } from '#model/decoderWeights.ts'
import { chatModels, frozenModels } from './chatPools.ts'

/** Parameters of a model; null where it is neither a folder nor one whose size is known before it is downloaded. */
export async function parametersOf(model: string | undefined): Promise<number | null> {
  if (model === undefined) return null
  if (isModelFolder(model)) return parameterCount(await readDecoderConfig(model))
  const known = [...chatModels, ...frozenModels]
  return known.find(({ name }) => name === model.split('@')[0])?.parameters ?? null
}

/** The model that judges for a specification, unless the operator names another: a folder, a repository or a server's URL. */
export function judgeOf(spec: EnvironmentSpec, said: string | undefined): string | undefined {
  return said ?? kindOf(spec).judgeOf(spec) ?? undefined
}

/** Parameters of a judge that runs here: 0 where a server or no model judges; null where its size is not known. */
export async function judgeParametersOf(judge: string | undefined): Promise<number | null> {
  return judge === undefined || isServerUrl(judge) ? 0 : parametersOf(judge)
}

export const isModelFolder = (model: string) => existsSync(join(model, 'config.json'))
