import { NodeError } from '#base/errors.ts'
import type { Alert } from './alerts.ts'

/** A webhook did not take an alert. Says its host only: the rest of its URL is a credential. */
export class AlertError extends NodeError {
  override readonly code = 'ALERT'
}

type PeerAlert = Alert & { peer: string; peerId: string }

const TIMEOUT_MS = 10_000

/**
 * Makes what sends alerts to all webhooks: to Discord and Telegram as their interfaces want it, to others as JSON with all fields. Whoever
 * took an alert is not sent it again where another did not.
 *
 * @returns rejects with an {@link AlertError} where one does not take it.
 * @see https://discord.com/developers/docs/resources/webhook#execute-webhook
 * @see https://core.telegram.org/bots/api#sendmessage
 */
export function createAlertSender(
  urls: readonly string[],
  fetchFn: typeof fetch = fetch,
): (alert: PeerAlert) => Promise<void> {
  /** State of each alert, as each webhook was told it last. */
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
  const response = await fetchFn(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
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
