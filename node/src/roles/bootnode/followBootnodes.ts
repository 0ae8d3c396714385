import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import type { Network } from '#p2p/network.ts'
import { readableBootnodes } from './readableBootnodes.ts'

type Modules = {
  network: Pick<Network, 'setBootnodes' | 'connectivity'>
  /** The list on the chain. */
  readBootnodes: () => Promise<readonly string[]>
  /** Bootnodes that the operator named; they stay regardless of the chain. */
  named: readonly string[]
  /** The chain's list at start. */
  listed: readonly string[]
  clock: Clock
  logger: Logger
  signal: AbortSignal
}

const READ_EVERY_MS = 600_000
/** A peer without connections waits until the swarm's owner lists one. */
const READ_ALONE_EVERY_MS = 30_000

/**
 * Follows the chain's list of bootnodes, so that a swarm's owner can add and move them while peers run.
 *
 * @returns once the signal is aborted.
 */
export async function followBootnodes(modules: Modules): Promise<void> {
  const { network, readBootnodes, named, clock, logger, signal } = modules
  let before = modules.listed.join()
  let readAtMs = clock.nowMs()
  while (!signal.aborted) {
    await clock.sleep(READ_ALONE_EVERY_MS, signal).catch(() => undefined)
    const everyMs = network.connectivity().alone === null ? READ_EVERY_MS : READ_ALONE_EVERY_MS
    if (signal.aborted || clock.nowMs() - readAtMs < everyMs) continue
    readAtMs = clock.nowMs()
    try {
      const listed = await readBootnodes()
      if (listed.join() === before) continue
      before = listed.join()
      network.setBootnodes([...named, ...readableBootnodes(listed, logger)])
      logger.info('the chain lists other bootnodes', { bootnodes: listed })
    } catch (error) {
      if (!signal.aborted) logger.debug('bootnodes could not be read', { error })
    }
  }
}
