import { freePorts, probePort } from '../base/freePorts.ts'

/** Every port of a local swarm; all but the chain's follow the dashboard's. */
export interface Ports {
  dashboard: number
  gateway: number
  indexer: number
  p2p: number
  chain: number
}

export function portsFrom(dashboard: number, chain: number): Ports {
  return { dashboard, gateway: dashboard + 1, indexer: dashboard + 2, p2p: dashboard + 3, chain }
}

/** Free ports for a swarm without chosen ones. */
export async function freeSwarmPorts(): Promise<Ports> {
  const first = await freePorts(5)
  return portsFrom(first, first + 4)
}

/** @throws {Error} that names the first port taken and what to do. */
export async function requireFree(ports: Ports): Promise<void> {
  for (const [name, port] of Object.entries(ports)) {
    if ((await probePort(port)) === null) {
      const flag = name === 'chain' ? '--chain-port' : '--port'
      throw new Error(`port ${port} (${name}) is taken: stop what listens there, or choose another with ${flag}`)
    }
  }
}
