import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { isLoopback, isOverTcp, isPrivate } from '../membership/dialable.ts'

const MAX_CHARACTERS = 256
const UNSPECIFIED = /^\/(ip4\/0\.0\.0\.0|ip6\/::)\//

/**
 * Reason why an address cannot be a bootnode's; null if it can.
 *
 * @param isLocal - whether all peers are on one machine, so that loopback addresses lead to each other.
 */
export function faultOfBootnode(address: string, isLocal: boolean): string | null {
  if (address.length > MAX_CHARACTERS) return `longer than ${MAX_CHARACTERS} characters`
  const last = lastComponent(address)
  if (last === null) return 'not a multiaddr such as /ip4/203.0.113.7/tcp/4001/p2p/16Uiu2…'
  if (last.name !== 'p2p') return 'without /p2p/PEER_ID at its end, as the bootnode prints it'
  if (!isOverTcp(address)) return 'without a host and a TCP port, or with more than that, such as /ws'
  if (UNSPECIFIED.test(address)) return 'an address to listen at, and none to dial: name the public one'
  return isLoopback(address) && !isLocal ? 'a loopback address, which leads every peer to itself' : null
}

/** Reason why a valid address leads few peers to the bootnode; null if it leads all there. A swarm within one network may list it. */
export function doubtOfBootnode(address: string, isLocal: boolean): string | null {
  if (isLocal || !isPrivate(address)) return null
  return 'private: peers of other networks cannot dial it and stay alone. List the public address, and start the bootnode with --announce'
}

function lastComponent(address: string): { name: string } | null {
  try {
    const last = multiaddr(address).getComponents().at(-1)
    if (last?.name === 'p2p') peerIdFromString(last.value ?? '')
    return last ?? null
  } catch {
    return null
  }
}
