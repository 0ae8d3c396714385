import { encodeFunctionData, recoverAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { AccountAddress, AccountKey, PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { PeerSigner } from '#core/peers/peerSigner.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { revertedWith } from '../revertedWith.ts'
import { type Registration, registrationDigest } from './registerPeer.ts'

/** A registration that somebody else may send: signed by the peer's key and by the account that it is bound to. */
export type SponsoredRegistration = Registration & {
  /** As the registry hashes it: x and y of a secp256k1 key, or an RSA key's protobuf. */
  publicKey: Hex
  /** Public key of a peer with an RSA key. */
  rsa?: { modulus: Hex; exponent: number } | undefined
  signature: Hex
  /** The account's. */
  consent: Hex
}

/** Has the peer's key and the account sign one registration. */
export async function signForSponsor(
  contracts: Contracts,
  signer: PeerSigner,
  accountKey: AccountKey,
  registration: Registration,
): Promise<SponsoredRegistration> {
  const { publicKey } = signer
  const digest = registrationDigest(contracts, publicKey, registration)
  const signature = await signer.sign(digest)
  const consent = await privateKeyToAccount(accountKey).sign({ hash: digest })
  const rsa = signer.type === 'RSA' ? { modulus: signer.modulus, exponent: signer.exponent } : undefined
  return { ...registration, publicKey, signature, consent, ...(rsa && { rsa }) }
}

/** Whether the account signed it. Asks nobody. */
export async function isConsent(contracts: Contracts, registration: SponsoredRegistration): Promise<boolean> {
  const hash = registrationDigest(contracts, registration.publicKey, registration)
  const { account, consent } = registration
  const signer = await recoverAddress({ hash, signature: consent }).catch(() => null)
  return signer?.toLowerCase() === account.toLowerCase()
}

/**
 * Simulates the registration: the key of the peer that the registry would register, or the error of the revert.
 *
 * @param sponsor - the account that sends it.
 */
export async function tryRegistration(
  { rpc, rpcUrl }: ChainClient,
  { peerRegistry }: Contracts,
  sponsor: AccountAddress,
  registration: SponsoredRegistration,
): Promise<{ peerKey: PeerKey } | { revertedWith: string }> {
  try {
    const call = { ...peerRegistry, ...callOf(registration), account: sponsor } as const
    const { result } = await callChain(rpcUrl, () => rpc.simulateContract(call as never))
    return { peerKey: result as unknown as PeerKey }
  } catch (error) {
    const reason = revertedWith(error)
    if (reason === null) throw error
    return { revertedWith: reason }
  }
}

/** Registers the peer under the account that consents, independent of the sender. */
export function registerFor({ peerRegistry }: Contracts, registration: SponsoredRegistration): OutboxIntent {
  const { account, nonce, deadlineSec } = registration
  return {
    key: `sponsor:register:${account}:${nonce}:${deadlineSec}`,
    to: peerRegistry.address,
    data: encodeFunctionData({ abi: peerRegistry.abi, ...callOf(registration) }),
    fromRound: null,
    throughRound: null,
  }
}

function callOf({ account, publicKey, rsa, signature, deadlineSec, consent }: SponsoredRegistration) {
  const deadline = BigInt(deadlineSec)
  if (rsa === undefined)
    return {
      functionName: 'registerFor' as const,
      args: [account, publicKey, signature, deadline, consent] as const,
    }
  return {
    functionName: 'registerRsaFor' as const,
    args: [account, rsa.modulus, rsa.exponent, signature, deadline, consent] as const,
  }
}
