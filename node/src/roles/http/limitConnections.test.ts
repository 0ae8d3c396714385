import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { limitConnections } from './limitConnections.ts'

/** A server that hands over connections, and which of them it closed. */
function scene(limits: { total: number; ofAddress: number }) {
  const server = new EventEmitter()
  limitConnections(server as never, limits)
  const closed: string[] = []
  function connect(remoteAddress: string, name = remoteAddress) {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress,
      destroy() {
        closed.push(name)
        socket.emit('close')
      },
    })
    server.emit('connection', socket)
    return socket
  }
  return { server, closed, connect }
}

test('one address, or one network of IPv6, has so many connections; loopback, where a proxy is, has all', () => {
  const { closed, connect } = scene({ total: 100, ofAddress: 2 })
  const first = connect('203.0.113.7')
  connect('::ffff:203.0.113.7')
  connect('203.0.113.7', 'third')
  connect('203.0.113.8')
  for (const host of ['2001:db8::1', '2001:db8:0:0:ffff::2']) connect(host)
  connect('2001:db8::3', 'third of six')
  connect('2001:db8:0:1::3')
  for (const at of [1, 2, 3, 4]) connect(at < 3 ? '127.0.0.1' : '::1')
  expect(closed).toEqual(['third', 'third of six'])
  first.emit('close')
  connect('203.0.113.7', 'again')
  expect(closed).toHaveLength(2)
})

test('the oldest connection without a whole request is closed above the limit, and none that is being answered', () => {
  const { server, closed, connect } = scene({ total: 2, ofAddress: 9 })
  const ask = (socket: object, complete: boolean) => {
    const response = { closed: false }
    server.emit('request', { socket, complete }, response)
    return response
  }
  const answered = ask(connect('203.0.113.1', 'answered'), true)
  ask(connect('203.0.113.2', 'half a body'), false)
  ask(connect('203.0.113.3', 'new'), true)
  connect('203.0.113.4', 'too many')
  expect(closed).toEqual(['half a body', 'too many'])
  answered.closed = true
  connect('203.0.113.5', 'later')
  expect(closed.at(-1)).toBe('answered')
})
