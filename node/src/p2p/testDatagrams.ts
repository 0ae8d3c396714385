import dgram from 'node:dgram'
import { EventEmitter, once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { onTestFinished } from 'vitest'

type Datagram = { readonly to: string; readonly text: string }
type MessageHandler = (message: Buffer, from: object) => void

const ethernet = {
  ...{ address: '10.1.2.3', netmask: '255.0.0.0', cidr: '10.1.2.3/8' },
  ...{ family: 'IPv4' as const, mac: '00:00:00:00:00:00', internal: false },
}

/**
 * Until the test ends, UDP sockets send to each other only, as members of one multicast group: nothing leaves this process. It has one network
 * interface, whatever the machine has.
 */
export function replaceDatagrams() {
  const bus = new EventEmitter()
  let opened = 0
  const { createSocket } = dgram
  const { networkInterfaces } = os
  Object.assign(dgram, {
    createSocket(_: object, onMessage?: MessageHandler) {
      opened += 1
      return new LocalSocket(bus, onMessage)
    },
  })
  os.networkInterfaces = () => ({ eth0: [ethernet] })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(dgram, { createSocket })
    os.networkInterfaces = networkInterfaces
    syncBuiltinESMExports()
  })
  return {
    /** How many sockets there were. */
    opened: () => opened,
    /** The next datagram that is sent. */
    sent: async (): Promise<Datagram> => (await once(bus, 'sent'))[0],
  }
}

/** As much of a `dgram.Socket` as mDNS and SSDP use. */
class LocalSocket extends EventEmitter {
  readonly type = 'udp4'
  private port = 0
  private readonly bus: EventEmitter
  private readonly hear = (message: Buffer) =>
    queueMicrotask(() => this.emit('message', message, { ...this.address(), size: message.length }))

  constructor(bus: EventEmitter, onMessage?: MessageHandler) {
    super()
    this.bus = bus
    if (onMessage) this.on('message', onMessage)
  }

  bind(port: number, _?: string, done?: () => void): void {
    this.port = port
    this.bus.on(String(port), this.hear)
    queueMicrotask(() => {
      this.emit('listening')
      done?.()
    })
  }

  send(message: Uint8Array, _from: number, _length: number, port: number, address: string, done?: () => void): void {
    this.bus.emit('sent', { to: `${address}:${port}`, text: Buffer.from(message).toString('latin1') })
    this.bus.emit(String(port), Buffer.from(message))
    if (done) queueMicrotask(done)
  }

  address() {
    return { address: ethernet.address, port: this.port, family: 'IPv4' }
  }

  close(done?: () => void): void {
    this.bus.off(String(this.port), this.hear)
    queueMicrotask(() => {
      this.emit('close')
      done?.()
    })
  }

  addMembership(): void {}
  dropMembership(): void {}
  setMulticastInterface(): void {}
  setMulticastTTL(): void {}
  setMulticastLoopback(): void {}
  setBroadcast(): void {}
}
