import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import type { Connectivity } from '#p2p/connections/connectivity.ts'
import type { Reachability } from '#p2p/connections/reachability.ts'
import type { Network } from '#p2p/network.ts'
import type { Journal } from '#store/journal.ts'

/** The journal's state with the number of connected peers, for commands that run while the peer does. */
export const CONNECTIONS = 'connections'

/**
 * @property atMs - time of the report; a running peer reports again within `SAID_FOR_MS`.
 * @property reachability - null in reports of earlier releases.
 */
export type KnownConnections = Connectivity & { reachability: Reachability | null; atMs: number }

type Modules = {
  network: Pick<Network, 'connectivity' | 'reachability'>
  journal: Pick<Journal, 'setState'>
  clock: Clock
  logger: Logger
  signal: AbortSignal
}

const LOOK_EVERY_MS = 2_000
const SAY_EVERY_MS = 60_000
const NOTE_EVERY_MS = 30_000
/** Twice the time between two notes, and a margin for a busy moment. */
export const SAID_FOR_MS = 2 * NOTE_EVERY_MS + 30_000
/** The first dials take some seconds; nobody is alone before. */
const SETTLING_MS = 10_000
/** A peer that stays alone repeats the warning. */
const ALONE_AGAIN_MS = 600_000

/**
 * Logs how many peers are connected: on a change between alone and connected, and at most once a minute if the count changed. Without a connection
 * it warns, with the reason and a remedy.
 *
 * @returns once the signal is aborted.
 */
export async function reportConnections({ network, journal, clock, logger, signal }: Modules): Promise<void> {
  const startedMs = clock.nowMs()
  let said: KnownConnections | null = null
  let noted: KnownConnections | null = null

  function isNews({ peers, alone, atMs }: KnownConnections): boolean {
    if (alone !== null && atMs - startedMs < SETTLING_MS) return false
    if (said === null || (said.alone === null) !== (alone === null)) return true
    const hasChanged = said.peers !== peers || said.alone?.reason !== alone?.reason
    if (hasChanged) return atMs - said.atMs >= SAY_EVERY_MS
    return alone !== null && atMs - said.atMs >= ALONE_AGAIN_MS
  }
  function say(now: KnownConnections): void {
    if (!isNews(now)) return
    said = now
    if (now.alone === null) logger.info('connected', { peers: now.peers })
    else logger.warn('alone: no peer is connected', { ...now.alone })
  }
  function note(now: KnownConnections): void {
    const isNew =
      noted?.peers !== now.peers ||
      noted.alone?.reason !== now.alone?.reason ||
      noted.reachability?.by !== now.reachability?.by
    if (!isNew && now.atMs - (noted?.atMs ?? 0) < NOTE_EVERY_MS) return
    noted = now
    try {
      journal.setState(CONNECTIONS, {
        ...now,
        alone: now.alone && { ...now.alone },
        reachability: now.reachability && {
          ...now.reachability,
          publicAddresses: [...now.reachability.publicAddresses],
        },
      })
    } catch (error) {
      // The disk guard reports a full disk.
      logger.debug('connections could not be noted', { error })
    }
  }

  while (!signal.aborted) {
    const now = { ...network.connectivity(), reachability: network.reachability(), atMs: clock.nowMs() }
    say(now)
    note(now)
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined)
  }
}
