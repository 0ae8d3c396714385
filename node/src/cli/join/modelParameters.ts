import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { kindOf } from '#environments/builtIn.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import { isServerUrl } from '#hub/chatServer/serverAddress.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { parameterCount } from '#model/decoder/decoderWeights.ts'
import type { RoleName } from '#roles/roleName.ts'
import { withoutJudge } from '../models/chatModels.ts'
import { isGguf } from '../options/modelOptions.ts'
import { UsageError } from '../usageError.ts'
import { JUDGE_PARAMETERS, knownModels } from './chatPools.ts'

/**
 * Parameters of a model; null if it is neither a folder, nor a GGUF file, nor one whose size is known before it is downloaded.
 *
 * @throws {ModelFileError} naming the file and the field, if that folder or file cannot be read.
 */
export async function parametersOf(model: string | undefined): Promise<number | null> {
  if (model === undefined) return null
  if (isModelFolder(model)) return parameterCount(await readDecoderConfig(model))
  if (isGguf(model)) {
    const { ggufParameterCount } = await import('#model/gguf/ggufParameterCount.ts')
    return ggufParameterCount(model)
  }
  return knownModels.find(({ name }) => name === model.split('@')[0])?.parameters ?? null
}

/**
 * The model that judges for a specification, unless the operator names another: a folder, a repository or a server's URL. None for roles that score
 * nothing.
 *
 * @throws {UsageError} if the operator names a server for a judge that comes with the code.
 */
export function judgeOf(spec: EnvironmentSpec, said: string | undefined, role?: RoleName): string | undefined {
  if (role !== undefined && withoutJudge.includes(role)) return undefined
  const known = kindOf(spec).judgeOf(spec) ?? undefined
  if (said !== undefined && isServerUrl(said) && known !== undefined && isAbsolute(known))
    throw new UsageError(`The judge of the environment '${spec.preset}' comes with the code.`, {
      hint: 'Leave out --judge: no server has this model.',
    })
  return said ?? known
}

/** Parameters of a judge that runs here: 0 where a server or no model judges; null if its size is not known. */
export async function judgeParametersOf(judge: string | undefined): Promise<number | null> {
  return judge === undefined || isServerUrl(judge) ? 0 : parametersOf(judge)
}

/** Parameters of the judge that a peer would run; 0 for none. A judge of unknown size counts as CodeZero's default. */
export async function likelyJudgeParameters(
  spec: EnvironmentSpec,
  said: string | undefined,
  role?: RoleName,
): Promise<number> {
  return (await judgeParametersOf(judgeOf(spec, said, role))) ?? JUDGE_PARAMETERS
}

export const isModelFolder = (model: string) => existsSync(join(model, 'config.json'))
