import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { TWIN_ADVICE } from '../reports/twin.ts'
import { isBehind } from './healthOf.ts'
import type { PeerState } from './watchPeer.ts'

const alertNames = ['behind', 'no points', 'low funds', 'disk', 'alone', 'runs twice', 'worker restarted'] as const
type AlertName = (typeof alertNames)[number]

export type Alert = { alert: AlertName; state: 'firing' | 'resolved'; message: string }

/** Rounds of a solver without points: a sampled leaf can be unlucky for a while. */
const POINTLESS_ROUNDS = 12
/** A few hundred rounds at the price of a test network. */
const LOW_ETHER = 0.01
const LOW_BYTES = 2 ** 30
/** Connections come and go. */
const ALONE_MS = 120_000

type Modules = {
  /** Sends an alert. Rejects if it could not be delivered, and is then retried. */
  send: (alert: Alert) => Promise<void>
  clock: Clock
  logger: Logger
}

export type Alerts = { look(state: PeerState): Promise<void> }

/** Alerts one recipient once when a problem begins, and once when it is over. */
export function createAlerts({ send, clock, logger }: Modules): Alerts {
  /** Problems whose alert was sent, perhaps in vain: one that seems lost may have arrived, so that its end is told too. */
  const begun = new Set<AlertName>()
  /** Those of them whose alert arrived. */
  const told = new Set<AlertName>()
  let earned: { pointsMilli: number; round: number } | null = null
  let aloneSinceMs: number | null = null

  function pointless({ role, round, pointsMilli }: PeerState): string | null {
    if (role !== 'solver' || round === null || pointsMilli === null) return null
    if (earned === null || pointsMilli !== earned.pointsMilli) earned = { pointsMilli, round }
    const rounds = round - earned.round
    return rounds < POINTLESS_ROUNDS ? null : `No points for ${rounds} rounds. See its log and its round pages.`
  }
  function alone({ aloneReason, advice }: PeerState): string | null {
    aloneSinceMs = aloneReason === null ? null : (aloneSinceMs ?? clock.nowMs())
    if (aloneSinceMs === null || clock.nowMs() - aloneSinceMs < ALONE_MS) return null
    return `No peer is connected: ${advice}`
  }
  /** The problem; null if there is none, undefined if unknown. */
  const checks: Record<AlertName, (state: PeerState) => string | null | undefined> = {
    behind: state =>
      isBehind(state) ? `Still in round ${state.round}, which is over. Restart it if that stays so.` : null,
    'no points': pointless,
    'low funds': ({ role, balanceEth }) => {
      if (balanceEth === null) return undefined
      // A gateway sends nothing.
      return role !== 'gateway' && balanceEth < LOW_ETHER ? `${balanceEth} of the chain's coin are left.` : null
    },
    disk: ({ freeBytes }) =>
      freeBytes === null
        ? undefined
        : freeBytes < LOW_BYTES
          ? `${Math.round(freeBytes / 2 ** 20)} MiB are left on the disk. Lower --keep-mb or free some space.`
          : null,
    alone,
    'runs twice': ({ twin }) => (twin === null ? null : `Another process has its keys: ${twin}. ${TWIN_ADVICE}`),
    'worker restarted': ({ workerRestart }) =>
      workerRestart &&
      `Its model worker was replaced, ${workerRestart.restarts} times in all: ${workerRestart.reason}.`,
  }
  /** @returns whether it arrived. */
  async function tell(alert: Alert): Promise<boolean> {
    try {
      await send(alert)
      return true
    } catch (error) {
      logger.warn('an alert could not be sent; trying again', { alert: alert.alert, error })
      return false
    }
  }
  async function tellBegin(alert: AlertName, message: string): Promise<void> {
    begun.add(alert)
    if (await tell({ alert, state: 'firing', message })) told.add(alert)
  }
  async function tellEnd(alert: AlertName): Promise<void> {
    if (!(await tell({ alert, state: 'resolved', message: 'It is over.' }))) return
    begun.delete(alert)
    told.delete(alert)
  }
  return {
    async look(state) {
      for (const alert of alertNames) {
        const wrong = checks[alert](state)
        if (typeof wrong === 'string' && !told.has(alert)) await tellBegin(alert, wrong)
        if (wrong === null && begun.has(alert)) await tellEnd(alert)
      }
    },
  }
}
