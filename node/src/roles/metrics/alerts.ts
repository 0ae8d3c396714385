import { NodeError } from '#base/errors.ts'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { withoutCredentials } from '#core/withoutCredentials.ts'
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

type Alerts = { look(state: PeerState): Promise<void> }

/** Alerts once when a problem begins, and once when it is over. */
export function createAlerts({ send, clock, logger }: Modules): Alerts {
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
    'low funds': ({ balanceEth }) =>
      balanceEth === null ? undefined : balanceEth < LOW_ETHER ? `${balanceEth} of the chain's coin are left.` : null,
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
  async function tell(alert: Alert): Promise<void> {
    try {
      await send(alert)
      if (alert.state === 'firing') told.add(alert.alert)
      else told.delete(alert.alert)
    } catch (error) {
      logger.warn('an alert could not be sent; trying again', { alert: alert.alert, error })
    }
  }
  return {
    async look(state) {
      for (const alert of alertNames) {
        const wrong = checks[alert](state)
        if (typeof wrong === 'string' && !told.has(alert)) await tell({ alert, state: 'firing', message: wrong })
        if (wrong === null && told.has(alert)) await tell({ alert, state: 'resolved', message: 'It is over.' })
      }
    },
  }
}

/** A webhook refused an alert. Names its host only: the rest of its URL is a credential. */
class AlertError extends NodeError {
  override readonly code = 'ALERT'
}

type PeerAlert = Alert & { peer: string; peerId: string }

const TIMEOUT_MS = 10_000

/**
 * Creates a sender of alerts to all webhooks: to Discord and Telegram in their own formats, to others as JSON with all fields. A webhook that
 * accepted an alert does not get it again because another one failed.
 *
 * @returns the sender, which rejects with an {@link AlertError} if a webhook does not accept an alert.
 * @see https://discord.com/developers/docs/resources/webhook#execute-webhook
 * @see https://core.telegram.org/bots/api#sendmessage
 */
export function createAlertSender(
  urls: readonly string[],
  fetchFn: typeof fetch = fetch,
): (alert: PeerAlert) => Promise<void> {
  /** Last delivered state of each alert, by webhook. */
  const told = new Map<string, Map<string, PeerAlert['state']>>()
  return async alert => {
    const sent = await Promise.allSettled(
      urls.map(async url => {
        const states = told.get(url) ?? new Map<string, PeerAlert['state']>()
        told.set(url, states)
        if (states.get(alert.alert) === alert.state) return
        await post(url, alert, fetchFn)
        states.set(alert.alert, alert.state)
      }),
    )
    for (const one of sent) if (one.status === 'rejected') throw one.reason
  }
}

async function post(url: string, alert: PeerAlert, fetchFn: typeof fetch): Promise<void> {
  const { url: bare, headers } = withoutCredentials(url)
  const response = await fetchFn(bare, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(bodyFor(url, alert)),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => null)
  await response?.body?.cancel()
  if (response?.ok) return
  const host = URL.parse(url)?.host ?? 'a webhook'
  throw new AlertError(`${host} ${response === null ? 'does not answer' : `answers with status ${response.status}`}.`, {
    hint: 'Check its URL in WAGGLE_ALERT_URL, and that this machine may reach it.',
    retryable: true,
  })
}

/** A chat of Telegram is named in the URL, by `?chat_id=`. */
function bodyFor(url: string, alert: PeerAlert): unknown {
  const host = URL.parse(url)?.hostname ?? ''
  const text = `Waggle peer ${alert.peer}, ${alert.alert} ${alert.state}: ${alert.message}`
  if (host === 'discord.com' || host.endsWith('.discord.com')) return { content: text, allowed_mentions: { parse: [] } }
  if (host === 'api.telegram.org') return { text }
  return alert
}
