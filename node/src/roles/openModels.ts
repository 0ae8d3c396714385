import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from '#core/hex.ts'
import { checkTokenizerFits } from '#model/checkTokenizerFits.ts'
import { readDecoderConfig } from '#model/decoderConfig.ts'
import { readJsonFile } from '#model/jsonFile.ts'
import { parseLoraConfig } from '#model/loraConfig.ts'
import type { AdapterSettings } from '#rl/adapterPolicy.ts'
import { openLastingPolicy, type WorkerWatch } from '#rl/lastingPolicy.ts'
import type { PolicyClient } from '#rl/policyClient.ts'
import type { PolicyWorkerOptions } from '#rl/policyProtocol.ts'
import { EnvironmentMismatchError } from './environmentOnChain.ts'
import type { Environment } from './loadEnvironment.ts'

/** Threads and device of a worker's models, and who is told how it fares. */
export type WorkerSettings = Pick<PolicyWorkerOptions, 'threads' | 'device' | 'adapter'> & WorkerWatch

/**
 * A policy and, in the same worker, the frozen judge model that its rewards come from.
 *
 * @param folder - of a policy, or an adapter, that was kept; where there is none yet, or for null, the environment's own.
 */
export async function openPolicy(
  environment: Environment,
  folder: string | null,
  { crashed, slow, ...options }: WorkerSettings,
): Promise<PolicyClient> {
  const { spec, solverFolder } = environment
  const adapter = options.adapter ?? (await keptAdapter(folder))
  const kept = folder !== null && existsSync(join(folder, adapter ? ADAPTER : WEIGHTS))
  const { betas, weightDecay } = spec.training
  const adamW = { beta1: betas[0], beta2: betas[1], weightDecay }
  const policy = openLastingPolicy({ ...options, adapter, adamW }, { crashed, slow })
  try {
    const from = kept ? folder : solverFolder
    // A folder may hold what was learned in another environment.
    const checked = adapter ? solverFolder : from
    checkTokenizerFits(environment.format, await readDecoderConfig(checked), checked)
    await policy.load(from, solverFolder)
    await loadJudge(policy, environment)
    return policy
  } catch (error) {
    await policy.close()
    throw error
  }
}

const [WEIGHTS, ADAPTER] = ['model.safetensors', 'adapter_model.safetensors'] as const

/** The adapter of a folder that holds one and no weights, also where nobody says that one is to be trained. */
async function keptAdapter(folder: string | null): Promise<AdapterSettings | undefined> {
  if (folder === null || existsSync(join(folder, WEIGHTS)) || !existsSync(join(folder, ADAPTER))) return undefined
  const path = join(folder, 'adapter_config.json')
  return { lora: parseLoraConfig(await readJsonFile(path), path), base: 'float32' }
}

/** The frozen judge model alone. */
export async function openJudgeModel(
  environment: Environment,
  { crashed, slow, ...options }: WorkerSettings,
): Promise<PolicyClient> {
  const scorer = openLastingPolicy(options, { crashed, slow })
  try {
    await loadJudge(scorer, environment)
    return scorer
  } catch (error) {
    await scorer.close()
    throw error
  }
}

/** @throws {EnvironmentMismatchError} if its weights are not those that the environment's specification names. */
async function loadJudge(client: PolicyClient, { spec, judgeFolder }: Environment): Promise<void> {
  const { weightsHash } = await client.loadJudge(
    judgeFolder,
    spec.judge.kind === 'trueFalse' ? spec.judge.precision : 'float32',
  )
  const due: Hex | null = spec.judge.weightsHash
  if (due === null || due === weightsHash) return
  throw new EnvironmentMismatchError(
    `The judge in ${judgeFolder} has the weights ${weightsHash}, the environment's ${due}.`,
    {
      hint: 'Name the frozen evaluator of the environment with --judge, at the revision that it is for.',
    },
  )
}
