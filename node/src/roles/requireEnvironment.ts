import type { Chain } from '#chain/openChain.ts'
import { NodeError } from '#core/errors.ts'
import type { Environment } from './loadEnvironment.ts'

/** The chain binds rounds to other rules than this node has. */
export class EnvironmentMismatchError extends NodeError {
  override readonly code = 'ENVIRONMENT_MISMATCH'
}

/** @throws {EnvironmentMismatchError} if the chain's environment of the current round is not this one. */
export async function requireEnvironment(chain: Chain, { hash }: Environment): Promise<void> {
  const { round } = await chain.rounds.read()
  const onChain = await chain.readEnvironment(Math.max(0, round))
  if (onChain === hash) return
  throw new EnvironmentMismatchError(`The swarm plays by the rules ${onChain}, this node by ${hash}.`, {
    hint: 'Update this node to the release that the swarm runs, or choose another network.',
  })
}
