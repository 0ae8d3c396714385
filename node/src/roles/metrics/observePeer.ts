import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import { NodeError } from '#base/errors.ts'
import type { Logger } from '#core/logger.ts'
import { isLoopbackAddress, urlHost } from '../http/bindAddress.ts'
import { limitConnections } from '../http/limitConnections.ts'
import type { PeerNode } from '../peerNode.ts'
import type { RoleName } from '../roleName.ts'
import { createWebhookAlerts } from './alertWebhooks.ts'
import { healthOf, notReadyFor } from './healthOf.ts'
import { createPeerMetrics } from './peerMetrics.ts'
import { watchPeer } from './watchPeer.ts'

type ObserveOptions = {
  role: RoleName
  data: string
  /** First round that the key counts in, once it is known. */
  countsFrom: () => number
  /** Address of the HTTP server; undefined for none. */
  metricsAt: MetricsAddress | undefined
  /** Webhooks for alerts. Their URLs are credentials. */
  alertUrls: readonly string[]
}

const LOOK_EVERY_MS = 15_000

/** Serves a peer's metrics and sends its alerts, if configured. @returns a function that ends both. */
export async function observePeer(node: PeerNode, options: ObserveOptions): Promise<() => Promise<void>> {
  const { role, data, countsFrom, metricsAt, alertUrls } = options
  const { logger, clock, identity } = node
  if (metricsAt === undefined && alertUrls.length === 0) return async () => {}
  const watch = watchPeer(node, role, data)
  const ended = new AbortController()
  const alerts = createWebhookAlerts(alertUrls, {
    peer: { peer: identity.name, peerId: identity.peerId },
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

class MetricsPortError extends NodeError {
  override readonly code = 'METRICS_PORT'
}

/** `ok`: 200, else 503. */
type Report = { ok: boolean } & Record<string, unknown>

type MetricsPages = {
  registry: Registry
  /** Whether a restart would help. */
  health: () => Report
  /** Whether it takes part. */
  ready: () => Report
}

const REQUEST_MS = 10_000
/** Limits that keep connections free for Prometheus and a container's health check, which decides about restarts, when an open address is crowded. */
const CONNECTIONS = { total: 32, ofAddress: 16 }

/** A page whose name resolves to loopback (DNS rebinding) sends its own name, and is refused. On other addresses any name is allowed. */
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

interface MetricsAddress {
  port: number
  /** IP address. */
  bind: string
}

/**
 * Serves `/health`, `/ready` and Prometheus' `/metrics`, read only.
 *
 * @throws {MetricsPortError} if the port is taken, or the address is not one of this machine.
 */
export async function serveMetrics(
  { port, bind }: MetricsAddress,
  { registry, health, ready }: MetricsPages,
  logger: Logger,
): Promise<Server> {
  const json = ({ ok, ...found }: Report) => ({
    status: ok ? 200 : 503,
    type: 'application/json',
    body: `${JSON.stringify({ ok, ...found })}\n`,
  })
  async function answer(path: string | undefined) {
    if (path === '/health') return json(health())
    if (path === '/ready') return json(ready())
    if (path === '/metrics') return { status: 200, type: registry.contentType, body: await registry.metrics() }
    return { status: 404, type: 'text/plain', body: 'There are /health, /ready and /metrics.\n' }
  }
  const timeouts = {
    ...{ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    connectionsCheckingInterval: REQUEST_MS / 5,
  }
  const server = createServer(timeouts, (request, response) => {
    if (isLoopbackAddress(bind) && !LOOPBACK_HOST.test(request.headers.host ?? '')) {
      response.writeHead(421, { 'content-type': 'text/plain' }).end('This is served to localhost only.\n')
      return
    }
    const path = request.method === 'GET' ? request.url?.split('?')[0] : undefined
    answer(path)
      .then(({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body))
      .catch(error => {
        logger.error('metrics could not be served', { error })
        response.destroy()
      })
  })
  limitConnections(server, CONNECTIONS)
  server.setTimeout(REQUEST_MS)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(explain(cause, { port, bind }))
    })
    server.listen(port, bind, resolve)
  })
  return server
}

function explain(cause: NodeJS.ErrnoException, { port, bind }: MetricsAddress): Error {
  if (cause.code === 'EADDRINUSE')
    return new MetricsPortError(`Port ${port} is taken.`, {
      hint: 'Stop what listens there, or choose another port with --metrics-port.',
      cause,
    })
  if (cause.code === 'EADDRNOTAVAIL')
    return new MetricsPortError(`${bind} is not an address of this machine.`, {
      hint: 'Name one of its own with --metrics-bind, or 0.0.0.0 for all.',
      cause,
    })
  return cause
}
