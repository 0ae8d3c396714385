import { type AddressInfo, createServer } from 'node:net'

/** A port of loopback that nobody listened on a moment ago. */
export const freePort = (): Promise<number> => freePorts(1)

/** The first of so many free ports in a row. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = await probePort(0)
    if (first === null || first + count > 65_536) continue
    const rest = Array.from({ length: count - 1 }, (_, at) => probePort(first + 1 + at))
    if ((await Promise.all(rest)).every(port => port !== null)) return first
  }
}

/** @param port - 0 for one of the kernel's choice. @returns the port if it is free, else null. */
export function probePort(port: number): Promise<number | null> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(port, '127.0.0.1', () => {
      const { port: found } = server.address() as AddressInfo
      server.close(() => resolve(found))
    })
  })
}
