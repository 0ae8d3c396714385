import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientBlock, LOOPBACK } from '#core/clientBlock.ts'

type ConnectionLimits = {
  /** Most open connections: above that, the oldest without a complete request is closed, so that slow clients cannot keep others out. */
  total: number
  /** Connections of one address, or of one /64 of IPv6. Loopback has no such limit: a proxy forwards everybody's requests from there. */
  ofAddress: number
}

/** Limits the connections of a server. The server sets their timeouts. */
export function limitConnections(server: Pick<Server, 'on'>, { total, ofAddress }: ConnectionLimits): void {
  /** Oldest first. */
  const open = new Map<Socket, string>()
  const asked = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>()
  const isAnswered = (socket: Socket) => {
    const last = asked.get(socket)
    return last?.request.complete === true && !last.response.closed
  }
  server.on('request', (request, response) => void asked.set(request.socket, { request, response }))
  server.on('connection', socket => {
    const address = clientBlock(socket.remoteAddress ?? '')
    const same = [...open.values()].filter(one => one === address).length
    if (address !== LOOPBACK && same >= ofAddress) return void socket.destroy()
    if (open.size >= total) {
      const idle = [...open.keys()].find(one => !isAnswered(one)) ?? socket
      open.delete(idle)
      idle.destroy()
      if (idle === socket) return
    }
    open.set(socket, address)
    socket.once('close', () => open.delete(socket))
  })
}
