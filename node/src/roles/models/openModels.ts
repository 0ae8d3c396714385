import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '#core/logger.ts'
import type { Environment, Judge } from '#environments/environment.ts'
import { EnvironmentMismatchError } from '#environments/environmentMismatch.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import { type DecoderConfig, readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { checkTokenizerFits } from '#model/tokenizers/checkTokenizerFits.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { openLastingPolicy, type WorkerWatch } from '#rl/policy/policyClient.ts'
import type { PolicyWorkerOptions } from '#rl/policy/policyProtocol.ts'
import { type AskedAdapter, adapterToTrain } from './adapterToTrain.ts'

/** Threads and device of a worker's models, and listeners of its state. */
export type WorkerSettings = Pick<PolicyWorkerOptions, 'threads' | 'device' | 'residentBytes'> & WorkerWatch

type PolicySettings = WorkerSettings & { readonly adapter?: AskedAdapter | undefined; readonly judges?: boolean }

/**
 * A policy and, in the same worker, the frozen judge model of its rewards.
 *
 * @param judges - whether the judge is loaded there; true.
 * @param folder - of a stored policy or adapter; if there is none yet, or for null, the environment's own policy.
 * @throws {KeptPolicyError} if the requested adapter is not the stored one.
 * @throws {EnvironmentMismatchError} if the model has too few positions for the environment's tasks.
 */
export async function openPolicy(
  environment: Environment,
  folder: string | null,
  { crashed, slow, adapter: asked, judges = true, ...options }: PolicySettings,
): Promise<PolicyClient> {
  const { spec, solverFolder } = environment
  const adapter = await adapterToTrain(folder, asked)
  const kept = folder !== null && existsSync(join(folder, adapter ? 'adapter_config.json' : 'model.safetensors'))
  const policy = openLastingPolicy({ ...options, adapter, ...learningOptions(spec) }, { crashed, slow })
  try {
    const from = kept ? folder : solverFolder
    // A folder may hold a policy trained in another environment.
    const checked = adapter ? solverFolder : from
    const config = await readDecoderConfig(checked)
    checkTokenizerFits(environment.format, config, checked)
    checkPositions(environment, config, checked)
    await policy.load(from, solverFolder)
    if (judges) await loadJudge(policy, environment)
    return policy
  } catch (error) {
    await policy.close()
    throw error
  }
}

/** @throws {EnvironmentMismatchError} if a proposed task may be longer than the model can read. */
function checkPositions({ proposals }: Environment, { maxPositions }: DecoderConfig, folder: string): void {
  const least = proposals?.limits.positions ?? 0
  if (maxPositions >= least) return
  throw new EnvironmentMismatchError(
    `The model in ${folder} has ${maxPositions} positions, and tasks of the environment need ${least}.`,
    { hint: `Name a model with at least ${least} positions (max_position_embeddings in its config.json).` },
  )
}

/** A specification's options of a policy's trainer: its optimizer, and the sampling distribution of its completions. */
export function learningOptions(
  { training, solving }: EnvironmentSpec,
  { temperature, topP }: Pick<EnvironmentSpec['solving'], 'temperature' | 'topP'> = solving,
) {
  const { betas, weightDecay, maxGradientNorm } = training
  const adamW = { beta1: betas[0], beta2: betas[1], weightDecay }
  return { adamW, clipNorm: maxGradientNorm, temperature, topP }
}

/** The judge alone, with its frozen model if it has one, and the worker, which also reads published policies. */
export async function openJudge(
  environment: Environment,
  worker: WorkerSettings,
): Promise<{ judge: Judge; reader: PolicyClient; close(): Promise<void> }> {
  const { crashed, slow, ...options } = worker
  const hasModel = environment.judgeModel !== null
  const reader = hasModel ? await openJudgeModel(environment, worker) : openLastingPolicy(options, { crashed, slow })
  try {
    return { judge: await environment.openJudge(hasModel ? reader : null), reader, close: reader.close }
  } catch (error) {
    await reader.close()
    throw error
  }
}

/** Logs how well a server judges, if this node examined one. */
export function tellMeasured({ measured }: Judge, logger: Logger): void {
  if (measured) logger.info("the judge's server was examined", measured)
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

/** @throws {EnvironmentMismatchError} if its weights are not those of the environment's specification. */
async function loadJudge(client: PolicyClient, { judgeModel }: Environment): Promise<void> {
  if (judgeModel === null) return
  const { folder, precision, weightsHash: due } = judgeModel
  const { weightsHash } = await client.loadJudge(folder, precision)
  if (due === null || due === weightsHash) return
  throw new EnvironmentMismatchError(
    `The judge in ${folder} has the weights ${weightsHash}, the environment's ${due}.`,
    {
      hint: 'Name the frozen evaluator of the environment with --judge, at the revision that it is for.',
    },
  )
}
