/**
 * Loaded before a peer's own code (`--import`). A local chain is known to take back no block, which lets its peers use a beacon at once.
 * The one of this run does take blocks back, when it is killed and when it is told to, as a public one may.
 */
import { knownNetworks } from '@waggle/deployments/networks'

Object.assign(knownNetworks.local, { reorganisedBlocks: knownNetworks.sepolia.reorganisedBlocks })
