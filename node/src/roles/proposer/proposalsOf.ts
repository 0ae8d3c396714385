import type { Environment, Proposals } from '#environments/environment.ts'
import { EnvironmentMismatchError } from '#environments/environmentMismatch.ts'

/** @throws {EnvironmentMismatchError} if the environment has no proposers. */
export function proposalsOf({ spec, proposals }: Environment): Proposals {
  if (proposals !== null) return proposals
  throw new EnvironmentMismatchError(
    `The environment '${spec.preset}' has no proposers: its tasks follow from the beacon.`,
    {
      hint: 'Start this peer with --role solver or --role evaluator, and without --dataset.',
    },
  )
}
