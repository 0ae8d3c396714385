import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { REGISTRATION_SECONDS, registerPeer } from '#chain/peers/registerPeer.ts'
import { createChainReads } from '#chain/reads.ts'
import { createRoundClock } from '#chain/rounds/roundClock.ts'
import type { AccountAddress } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { CallRefusedError, type SessionOptions } from '#roles/accountSession.ts'

/** A proof of possession of a peer's key for one account, which that account sends to the registry. */
type RegistrationProof = { peerId: string; account: AccountAddress; registry: Hex; data: Hex; deadlineSec: number }

/**
 * Signs with the peer's key that an account may own the peer. Nothing is sent: the account's wallet does that.
 *
 * @throws {CallRefusedError} for a key that the registry cannot check.
 */
export async function proveRegistration(
  { deployment, rpcUrl, patience, identity }: Omit<SessionOptions, 'data'>,
  account: AccountAddress,
): Promise<RegistrationProof> {
  const { signer, peerId } = identity
  if (signer === null)
    throw new CallRefusedError('The registry cannot check a key of this kind.', {
      hint: 'Use a peer with a secp256k1 key (npx waggle init makes one) or an RSA key.',
    })
  const contracts = contractsOf(deployment)
  const chain = await connectChain({ deployment, rpcUrl, patience })
  const nonce = await createChainReads(chain, contracts).readRegistrationNonce(account)
  // The registry compares it with the chain's time.
  const { nowSec } = await createRoundClock(chain, contracts).read()
  const deadlineSec = nowSec + REGISTRATION_SECONDS
  const { to, data } = await registerPeer(contracts, signer, { account, nonce, deadlineSec })
  return { peerId, account, registry: to, data, deadlineSec }
}
