import type { Chain } from '#chain/openChain.ts'
import type { Environment } from '#environments/environment.ts'
import { EnvironmentMismatchError } from '#environments/environmentMismatch.ts'

/**
 * The environment that the chain binds the current round to, among those that this node has.
 *
 * @throws {EnvironmentMismatchError} if it has none with that hash.
 */
export async function environmentOnChain(chain: Chain, known: readonly Environment[]): Promise<Environment> {
  const { round } = await chain.rounds.read()
  const onChain = await chain.readEnvironment(Math.max(0, round))
  const found = known.find(({ hash }) => hash === onChain)
  if (found !== undefined) return found
  const own = known.map(({ hash, spec }) => `${hash} (${spec.preset})`).join(' and ')
  throw new EnvironmentMismatchError(`The swarm plays by the rules ${onChain}, this node by ${own}.`, {
    hint: 'Update this node to the release that the swarm runs, or choose another network.',
  })
}
