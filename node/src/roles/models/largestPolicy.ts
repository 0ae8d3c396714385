import { MAX_POLICY_BYTES } from '#core/payloads/payloadSizes.ts'
import type { Environment } from '#environments/environment.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { maxPolicyBytes } from '#rl/policy/publishedPolicy.ts'

/** Maximum of bytes of a policy that a peer of an environment may publish. */
export async function largestPolicy({ solverFolder }: Pick<Environment, 'solverFolder'>): Promise<number> {
  return Math.min(maxPolicyBytes(await readDecoderConfig(solverFolder)), MAX_POLICY_BYTES)
}
