import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openPolicyClient, type PolicyClient } from '#rl/policyClient.ts'
import type { Environment } from './loadEnvironment.ts'

/**
 * A policy and, in the same worker, the frozen judge model that its rewards come from.
 *
 * @param folder - of a policy that was kept; where there is none yet, or for null, the starter model.
 */
export async function openPolicy(
  { spec, solverFolder, judgeFolder }: Environment,
  folder: string | null,
  threads: number,
): Promise<PolicyClient> {
  const kept = folder !== null && existsSync(join(folder, 'model.safetensors'))
  const { betas, weightDecay } = spec.training
  const policy = openPolicyClient({ threads, adamW: { beta1: betas[0], beta2: betas[1], weightDecay } })
  try {
    await policy.load(kept ? folder : solverFolder)
    await policy.loadJudge(judgeFolder)
    return policy
  } catch (error) {
    await policy.close()
    throw error
  }
}

/** The frozen judge model alone. */
export async function openJudgeModel({ judgeFolder }: Environment, threads: number): Promise<PolicyClient> {
  const scorer = openPolicyClient({ threads })
  try {
    await scorer.loadJudge(judgeFolder)
    return scorer
  } catch (error) {
    await scorer.close()
    throw error
  }
}
