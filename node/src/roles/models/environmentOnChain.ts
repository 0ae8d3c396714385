import type { Chain } from '#chain/openChain.ts'
import type { EnvironmentHash } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import type { Environment } from '#environments/environment.ts'
import { EnvironmentMismatchError } from '#environments/environmentMismatch.ts'

/**
 * This node's environment for the current round, as set on the chain.
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

type EnvironmentWatchModules = {
  readEnvironment: (round: number) => Promise<EnvironmentHash>
  /** Hash of this node's environment. */
  own: EnvironmentHash
  /** Hashes of its other environments, which it could use after a restart. */
  known: readonly EnvironmentHash[]
  logger: Logger
}

/** Rounds that are remembered: those that are voted on, and those that are proposed for. */
const REMEMBERED = 16

/**
 * Reports whether a round uses this node's environment, by the chain, and logs changes. Work for rounds of another environment would earn
 * nothing; duties of earlier rounds are still done.
 */
export function createEnvironmentWatch(modules: EnvironmentWatchModules): (round: number) => Promise<boolean> {
  const { readEnvironment, own, known, logger } = modules
  /** Environments by round. That of a round that has begun does not change; a later one is read again. */
  const found = new Map<number, EnvironmentHash>()
  let latest = -1
  let isPaused = false

  return async round => {
    const environment = found.get(round) ?? (await readEnvironment(Math.max(0, round)))
    latest = Math.max(latest, round)
    if (round < latest) found.set(round, environment)
    if (found.size > REMEMBERED) found.delete(Math.min(...found.keys()))
    const isOwn = environment === own
    if (round === latest && isOwn === isPaused) tell(round, environment, isOwn)
    return isOwn
  }

  function tell(round: number, environment: EnvironmentHash, isOwn: boolean): void {
    isPaused = !isOwn
    if (isOwn) {
      logger.info('the swarm uses the rules of this node again; resuming', { round, environment })
      return
    }
    const hint = known.includes(environment)
      ? 'Restart this node: it has these rules.'
      : 'Restart this node with the file of these rules (--environment), or with the release that has them.'
    logger.warn('the swarm uses other rules than this node; pausing', { round, environment, own, hint })
  }
}
