import type { Environment } from '#environments/environment.ts'
import { readBaseHash, unpaidBase } from '#environments/paidBase.ts'
import type { AdapterSettings } from '#rl/policy/adapterPolicy.ts'

type Here = Pick<Environment, 'solverFolder'> & { spec: Pick<Environment['spec'], 'bases'> }

/** Reason why adapters over this node's base are not paid; null if they are. */
export async function unpaidBaseOf({ spec, solverFolder }: Here): Promise<string | null> {
  return spec.bases === null ? null : unpaidBase(await readBaseHash(solverFolder), spec)
}

/** See docs/adr/0073. */
const UNCHECKABLE = 'answers over an 8-bit base cannot be checked; train an adapter over float32'

/** See docs/adr/0144. */
const SERVED = 'a server samples its answers, which cannot be checked'

/**
 * Reason why this node's solver earns and commits nothing; null if it is paid. Whole weights name no base.
 *
 * @param isServed - whether a server samples its answers.
 */
export async function unpaidSolver(
  adapter: Pick<AdapterSettings, 'base'> | undefined,
  here: Here,
  isServed = false,
): Promise<string | null> {
  if (isServed) return SERVED
  if (adapter === undefined) return null
  return adapter.base === 'float32' ? unpaidBaseOf(here) : UNCHECKABLE
}
