import { knownNetworks } from '@waggle/deployments/networks'
import type { Deployment } from '@waggle/deployments/record'
import { faultOfBootnode } from '#p2p/connections/bootnodeAddress.ts'
import { isPrivate } from '#p2p/membership/dialable.ts'

type Listing = {
  peerId: string
  /** Own addresses, with `/p2p/PEER_ID` at their end. */
  addresses: readonly string[]
  /** Bootnodes on the chain. */
  listed: readonly string[]
  deployment: Pick<Deployment, 'network' | 'chainId'>
}

/** The owner's next step for a bootnode that the chain does not list; null if it is listed. */
export function listingAdvice({ peerId, addresses, listed, deployment }: Listing): string | null {
  if (listed.some(address => address.endsWith(`/p2p/${peerId}`))) return null
  const { local } = knownNetworks
  const isLocal = deployment.chainId === local.chainId
  const address = addresses.find(one => faultOfBootnode(one, isLocal) === null && (isLocal || !isPrivate(one)))
  if (address === undefined) return 'Start it with its public address: --announce /dns4/HOST/tcp/4001.'
  return `npx waggle bootnode add ${address}${isLocal ? '' : ` --network ${deployment.network}`}`
}
