/**
 * Loaded before a peer's own code (`--import`). Peers of a local swarm wait two blocks for a beacon, for a chain that is killed. The one of this
 * run takes back three at once besides, as a public one may.
 */
import { knownNetworks } from '@waggle/deployments/networks'

Object.assign(knownNetworks.local, { reorganisedBlocks: knownNetworks.sepolia.reorganisedBlocks })
