import { encodeFunctionData, hashTypedData, keccak256 } from 'viem'
import type { AccountAddress } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { PeerSigner } from '#core/peers/peerSigner.ts'
import type { Contracts } from '../contracts.ts'

/** A proof is good for a day: it may have to wait for funds. */
export const REGISTRATION_SECONDS = 86_400

export type Registration = { account: AccountAddress; nonce: bigint; deadlineSec: number }

/** Digest that the peer's key signs: for this account and nonce, until the deadline, on this chain and registry. */
export function registrationDigest(
  { chainId, peerRegistry }: { chainId: number; peerRegistry: { address: Hex } },
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

const registrationKeys = (account: AccountAddress) => `register:${account}:`

/** Whether an outbox's key is that of a registration for the account whose deadline is ahead. */
export function isOpenRegistration(key: string, account: AccountAddress, nowSec: number): boolean {
  return key.startsWith(registrationKeys(account)) && Number(key.split(':').at(-1)) > nowSec
}

/** Registers the peer under the account, or moves it there, with a proof of possession of its key. */
export async function registerPeer(
  contracts: Contracts,
  signer: PeerSigner,
  registration: Registration,
): Promise<OutboxIntent> {
  const signature = await signer.sign(registrationDigest(contracts, signer.publicKey, registration))
  return {
    key: `${registrationKeys(registration.account)}${registration.nonce}:${registration.deadlineSec}`,
    to: contracts.peerRegistry.address,
    data: registerCall(contracts, signer, signature, BigInt(registration.deadlineSec)),
    fromRound: null,
    throughRound: null,
  }
}

function registerCall({ peerRegistry }: Contracts, signer: PeerSigner, signature: Hex, deadline: bigint): Hex {
  const { abi } = peerRegistry
  if (signer.type === 'secp256k1')
    return encodeFunctionData({ abi, functionName: 'register', args: [signer.publicKey, signature, deadline] })
  const args = [signer.modulus, signer.exponent, signature, deadline] as const
  return encodeFunctionData({ abi, functionName: 'registerRsa', args })
}
