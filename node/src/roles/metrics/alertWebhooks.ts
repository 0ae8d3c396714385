import { NodeError } from '#base/errors.ts'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { withoutCredentials } from '#core/withoutCredentials.ts'
import { type Alert, type Alerts, createAlerts } from './alerts.ts'

/** A webhook refused an alert. Names its host only: the rest of its URL is a credential. */
class AlertError extends NodeError {
  override readonly code = 'ALERT'
}

type PeerAlert = Alert & { peer: string; peerId: string }

const TIMEOUT_MS = 10_000

type Modules = {
  /** The peer's name and peer id, for the alerts. */
  peer: Pick<PeerAlert, 'peer' | 'peerId'>
  clock: Clock
  logger: Logger
  fetchFn?: typeof fetch
}

/**
 * Alerts all webhooks: Discord and Telegram in their own formats, others by JSON with all fields. Each is told by itself, and again until it accepts,
 * so that one that fails keeps nothing from the others.
 *
 * @see https://discord.com/developers/docs/resources/webhook#execute-webhook
 * @see https://core.telegram.org/bots/api#sendmessage
 */
export function createWebhookAlerts(
  urls: readonly string[],
  { peer, clock, logger, fetchFn = fetch }: Modules,
): Alerts {
  const webhooks = urls.map(url =>
    createAlerts({ send: alert => post(url, { ...alert, ...peer }, fetchFn), clock, logger }),
  )
  return {
    async look(state) {
      await Promise.all(webhooks.map(webhook => webhook.look(state)))
    },
  }
}

/** @throws {AlertError} if the webhook does not accept the alert. */
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
