/** Results of dialling since the last connection. */
export type DialOutcomes = {
  /** Dials that nobody answered, or that ended in the handshake. */
  readonly failed: number
  /** Connections that the other side closed within seconds. */
  readonly hungUp: number
  /** Address and error of the last dial that failed. */
  readonly lastFailure: string | null
}

/**
 * `nobody known`: there is no address to dial. `connecting`: no dial has ended yet. `nobody reached`: none was answered. `hung up on`: they
 * answer, and close.
 */
type AloneReason = 'nobody known' | 'connecting' | 'nobody reached' | 'hung up on'

/** `advice` is the operator's next step. */
export type Alone = { readonly reason: AloneReason; readonly found: string; readonly advice: string }

/** Number of connected peers; without any, the reason. */
export type Connectivity = { readonly peers: number; readonly alone: Alone | null }

type Situation = { peers: number; bootnodes: number; known: number; dials: DialOutcomes; isBootnode: boolean }

/** @param known - peers with an address, bootnodes included. */
export function connectivityOf({ peers, bootnodes, known, dials, isBootnode }: Situation): Connectivity {
  const isFirst = isBootnode && known === 0
  return { peers, alone: peers > 0 ? null : isFirst ? FIRST_BOOTNODE : aloneBy(bootnodes, known, dials) }
}

/** The first bootnode of a swarm has nobody to dial. */
const FIRST_BOOTNODE: Alone = {
  reason: 'nobody known',
  found: 'nobody has connected, and there is no other bootnode to dial',
  advice: 'Peers dial it once the chain lists it (npx waggle bootnode list) and its port is open.',
}

function aloneBy(bootnodes: number, known: number, { failed, hungUp, lastFailure }: DialOutcomes): Alone {
  if (known === 0)
    return {
      reason: 'nobody known',
      found: 'the chain lists no bootnode, none was named, and nobody has connected',
      advice: 'Name a peer of the swarm with --bootnode, or ask its owner to list one: npx waggle bootnode add.',
    }
  if (hungUp > 0)
    return {
      reason: 'hung up on',
      found: `${hungUp} connections were closed by the other side within seconds`,
      advice:
        'The peers have no free slot, or blocked this one: strangers get few slots until they are registered. Wait, or name another --bootnode.',
    }
  if (failed > 0)
    return {
      reason: 'nobody reached',
      found: `${failed} dials of ${known} known peers (${bootnodes} bootnodes) failed; the last: ${lastFailure}`,
      advice: 'Check the network and its firewall for outgoing TCP (npx waggle doctor), or name another --bootnode.',
    }
  return { reason: 'connecting', found: `no dial of ${known} known peers has ended yet`, advice: 'Wait some seconds.' }
}
