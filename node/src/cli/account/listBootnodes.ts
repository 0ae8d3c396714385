import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { readBootnodes } from '#chain/peers/readBootnodes.ts'
import type { Hex } from '#core/hex.ts'
import { callAsOwner, type Owner, type OwnersQuestion } from './callAsOwner.ts'

type BootnodesChange = { bootnodes: readonly string[]; hash: Hex | null }

/** The bootnodes listed on the chain, unchecked. */
export async function readListed(question: OwnersQuestion): Promise<readonly string[]> {
  return readBootnodes(await connectChain(question), contractsOf(question.deployment))
}

/**
 * Replaces the list of bootnodes on the chain, with the key of an account that holds the role.
 *
 * @param before - the current list; nothing is sent if the new one is equal.
 * @throws as {@link callAsOwner}.
 */
export async function listBootnodes(
  owner: Owner,
  before: readonly string[],
  bootnodes: readonly string[],
): Promise<BootnodesChange> {
  if (before.join() === bootnodes.join()) return { bootnodes, hash: null }
  const hash = await callAsOwner(owner, ({ peerRegistry }) => ({
    ...peerRegistry,
    functionName: 'setBootnodes',
    args: [bootnodes],
  }))
  return { bootnodes, hash }
}
