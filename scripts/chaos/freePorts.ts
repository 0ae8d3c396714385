import { type AddressInfo, createServer } from 'node:net'
import { type Ports, portsFrom } from '../swarm/ports.ts'

/** Ports that nobody listens on: the kernel's choice, with the next four of a swarm free as well. */
export async function freePorts(): Promise<Ports> {
  for (;;) {
    const first = await listen(0)
    if (first === null || first > 65_000) continue
    const rest = await Promise.all([1, 2, 3, 4].map(step => listen(first + step)))
    if (rest.every(port => port !== null)) return portsFrom(first, first + 4)
  }
}

/** @returns the port that was free; null where it is taken. */
function listen(port: number): Promise<number | null> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(port, '127.0.0.1', () => {
      const { port: found } = server.address() as AddressInfo
      server.close(() => resolve(found))
    })
  })
}
