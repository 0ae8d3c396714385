import type { AddressInfo } from 'node:net'
import { urlHost } from '../http/bindAddress.ts'
import type { PeerNode } from '../peerNode.ts'
import type { RoleName } from '../roleName.ts'
import { createAlertSender, createAlerts } from './alerts.ts'
import { healthOf, notReadyFor } from './healthOf.ts'
import { createPeerMetrics } from './peerMetrics.ts'
import { type MetricsAddress, serveMetrics } from './serveMetrics.ts'
import { watchPeer } from './watchPeer.ts'

type ObserveOptions = {
  role: RoleName
  data: string
  /** First round that the key counts in, once it is known. */
  countsFrom: () => number
  /** Of the HTTP server; undefined for none. */
  metricsAt: MetricsAddress | undefined
  /** Webhooks that are told what is wrong. They hold credentials. */
  alertUrls: readonly string[]
}

const LOOK_EVERY_MS = 15_000

/** Serves a peer's metrics and sends its alerts, where they are asked for. @returns what ends both. */
export async function observePeer(node: PeerNode, options: ObserveOptions): Promise<() => Promise<void>> {
  const { role, data, countsFrom, metricsAt, alertUrls } = options
  const { logger, clock, identity } = node
  if (metricsAt === undefined && alertUrls.length === 0) return async () => {}
  const watch = watchPeer(node, role, data)
  const ended = new AbortController()
  const send = createAlertSender(alertUrls)
  const alerts = createAlerts({
    send: alert => send({ ...alert, peer: identity.name, peerId: identity.peerId }),
    clock,
    logger,
  })
  async function look(): Promise<void> {
    while (!ended.signal.aborted) {
      await watch.refresh()
      if (alertUrls.length > 0) await alerts.look(watch.state())
      await clock.sleep(LOOK_EVERY_MS, ended.signal).catch(() => undefined)
    }
  }
  const server =
    metricsAt === undefined
      ? null
      : await serveMetrics(
          metricsAt,
          {
            registry: createPeerMetrics({ node, watch }),
            health: () => healthOf(watch.state()),
            ready() {
              const missing = notReadyFor(watch.state(), countsFrom())
              return { ok: missing.length === 0, missing }
            },
          },
          logger,
        )
  if (server !== null) {
    const { address, port } = server.address() as AddressInfo
    logger.info('metrics', { url: `http://${urlHost(address)}:${port}/metrics` })
  }
  const looking = look()
  return async () => {
    ended.abort()
    server?.closeAllConnections()
    server?.close()
    await looking
  }
}
