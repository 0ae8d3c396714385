import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Range of drawn ports: below those that systems give to outgoing connections, from 32768 on under Linux and from 49152 on elsewhere. A
 * connection holds its port for a minute after its end, during which nothing can listen there.
 */
const [FIRST, END] = [10_000, 32_768]

/** A free port of loopback. */
export const freePort = (): Promise<number> => freePorts(1)

/** The first of so many free ports in a row. No outgoing connection takes them meanwhile. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = randomInt(FIRST, END - count + 1)
    const all = Array.from({ length: count }, (_, at) => probePort(first + at))
    if ((await Promise.all(all)).every(port => port !== null)) return first
  }
}

/** @returns the port if it is free, else null. */
export function probePort(port: number): Promise<number | null> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)))
  })
}
