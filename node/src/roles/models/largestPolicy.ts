import { MAX_POLICY_BYTES } from '#core/payloads/payloadSizes.ts'
import type { Environment } from '#environments/environment.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { maxPolicyBytes } from '#rl/policy/publishedPolicy.ts'

type Here = Pick<Environment, 'solverFolder'> & { spec: Pick<Environment['spec'], 'bases'> }

/** Maximum of bytes of a policy that a peer of an environment may publish. Of several bases a node may lack the largest, and so its size. */
export async function largestPolicy({ solverFolder, spec }: Here): Promise<number> {
  if (spec.bases !== null && spec.bases.length > 1) return MAX_POLICY_BYTES
  return Math.min(maxPolicyBytes(await readDecoderConfig(solverFolder)), MAX_POLICY_BYTES)
}
