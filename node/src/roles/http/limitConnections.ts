import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { BlockList, isIPv6, type Socket } from 'node:net'

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
    const address = blockOf(socket.remoteAddress ?? '')
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

const LOOPBACK = 'loopback'
const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** What one operator has: an address of IPv4, 64 bits of IPv6. */
function blockOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (loopback.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')) return LOOPBACK
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const [before, after] = [head, tail ?? ''].map(part => part.split(':').filter(group => group !== ''))
  const zeros = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (after?.length ?? 0)
  return [...(before ?? []), ...Array<string>(zeros).fill('0'), ...(after ?? [])].slice(0, 4).join(':')
}
