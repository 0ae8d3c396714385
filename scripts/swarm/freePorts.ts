import { createServer } from 'node:net'

/** Ports of a swarm that nobody chose: four in a row and the chain's, all free a moment ago. */
export async function freePorts(): Promise<{ dashboard: number; chain: number }> {
  const listen = (port: number) =>
    new Promise<number | null>(resolve => {
      const server = createServer()
      server.once('error', () => resolve(null))
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null))
      })
    })
  for (;;) {
    const first = await listen(0)
    if (first === null || first > 65_000) continue
    const rest = await Promise.all([1, 2, 3, 4].map(step => listen(first + step)))
    if (rest.every(port => port !== null)) return { dashboard: first, chain: first + 4 }
  }
}
