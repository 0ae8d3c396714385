import { encodeFunctionData, hashTypedData, keccak256 } from 'viem'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { PeerSigner } from '#core/peerSigner.ts'
import type { Contracts } from './contracts.ts'

/** A proof is good for a day: it may have to wait for funds. */
export const REGISTRATION_SECONDS = 86_400

export type Registration = { account: Hex; nonce: bigint; deadlineSec: number }

/** What the peer's key signs: this account, once, until then, on this chain and registry. */
export function registrationDigest(
  { chainId, peerRegistry }: Contracts,
  publicKey: Hex,
  registration: Registration,
): Hex {
  const { account, nonce, deadlineSec } = registration
  return hashTypedData({
    domain: { name: 'Waggle PeerRegistry', version: '1', chainId, verifyingContract: peerRegistry.address },
    types: {
      Registration: [
        { name: 'account', type: 'address' },
        { name: 'publicKeyHash', type: 'bytes32' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Registration',
    message: { account, publicKeyHash: keccak256(publicKey), nonce, deadline: BigInt(deadlineSec) },
  })
}

/** Registers the peer under the account, or moves it there, with a proof that its key is at hand. */
export async function registerPeer(
  contracts: Contracts,
  signer: PeerSigner,
  registration: Registration,
): Promise<OutboxIntent> {
  const { address, abi } = contracts.peerRegistry
  const signature = await signer.sign(registrationDigest(contracts, signer.publicKey, registration))
  const args = [signer.publicKey, signature, BigInt(registration.deadlineSec)] as const
  return {
    key: `register:${registration.account}:${registration.nonce}:${registration.deadlineSec}`,
    to: address,
    data: encodeFunctionData({ abi, functionName: 'register', args }),
    fromRound: null,
    throughRound: null,
  }
}
