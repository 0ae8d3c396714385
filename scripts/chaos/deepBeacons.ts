/**
 * Loaded before a peer's own code (`--import`). Peers of a local swarm wait two blocks for a beacon, for a chain that is killed. The chain
 * of this run also reorganises three blocks deep, as a public one may.
 */
import { knownNetworks } from '@waggle/deployments/networks'

Object.assign(knownNetworks.local, { reorganisedBlocks: knownNetworks.sepolia.reorganisedBlocks })
