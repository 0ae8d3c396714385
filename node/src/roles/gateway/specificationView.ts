import { bytesToHex } from 'viem'
import type { Environment } from '#environments/environment.ts'
import { environmentBytes } from '#environments/environmentSpec.ts'

/** What shows the chain which leaves a round samples: the bytes that its hash is of, and how many leaves are drawn of each peer. */
export function specificationView({ hash, spec }: Pick<Environment, 'hash' | 'spec'>) {
  const places = Math.min(spec.owedLeaves, spec.sampledLeaves)
  return { hash, specification: bytesToHex(environmentBytes(spec)), places }
}
