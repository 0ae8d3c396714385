import type { Chain } from '#chain/openChain.ts'
import type { Clock } from '#core/clock.ts'
import type { EnvironmentHash } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import type { Environment } from '#environments/environment.ts'
import { EnvironmentMismatchError } from '#environments/environmentMismatch.ts'

type EnvironmentModules = {
  chain: Pick<Chain, 'rounds' | 'readEnvironment' | 'nextBlock'>
  clock: Clock
  signal: AbortSignal
}

/** Longest wait for the block in which an environment that the node lacks must be the swarm's again. */
const NEXT_BLOCK_MS = 15_000

/**
 * This node's environment for the current round, as set on the chain.
 *
 * @throws {EnvironmentMismatchError} if it has none with that hash, in two blocks: an answer of an endpoint may be false.
 */
export async function environmentOnChain(
  { chain, clock, signal }: EnvironmentModules,
  known: readonly Environment[],
): Promise<Environment> {
  const read = async () => {
    const { round } = await chain.rounds.read()
    return chain.readEnvironment(Math.max(0, round))
  }
  let onChain = await read()
  const own = () => known.find(({ hash }) => hash === onChain)
  if (own() === undefined) {
    const over = new AbortController()
    const until = AbortSignal.any([signal, over.signal])
    await Promise.race([chain.nextBlock(until), clock.sleep(NEXT_BLOCK_MS, until)]).finally(() => over.abort())
    onChain = await read()
  }
  const found = own()
  if (found !== undefined) return found
  const ours = known.map(({ hash, spec }) => `${hash} (${spec.preset})`).join(' and ')
  throw new EnvironmentMismatchError(`The swarm plays by the rules ${onChain}, this node by ${ours}.`, {
    hint: 'Update this node to the release that the swarm runs, give the environment file of its deployer (--environment), or choose another network.',
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
  /** Rounds with the node's own environment. That of a round that has begun does not change; another answer may be false, and is asked for again. */
  const found = new Map<number, EnvironmentHash>()
  let latest = -1
  let isPaused = false

  return async round => {
    const environment = found.get(round) ?? (await readEnvironment(Math.max(0, round)))
    latest = Math.max(latest, round)
    if (round < latest && environment === own) found.set(round, environment)
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
