import { peerRegistryAbi } from '@waggle/deployments/abi/peerRegistry'
import { type Address, decodeFunctionData, type Hex, isAddressEqual, isHex } from 'viem'
import type { Chain } from '../ChainProvider.tsx'
import type { Call } from '../sendCall.ts'

/** The part of the output of `waggle prove` that a page needs. */
interface Proof {
  peerId: string
  account: Address
  registry: Address
  data: Hex
}

/**
 * The call that a proof is for.
 *
 * @returns an error text if the input is not a proof, or is for another account or deployment.
 */
export function registerCall({ network }: Chain, account: Address, text: string): Call | string {
  const proof = readProof(text)
  if (proof === null) return 'This is not a proof. Paste the whole line that the command printed.'
  if (!isAddressEqual(proof.registry, network.peerRegistry)) return 'This proof is for another deployment.'
  if (!isAddressEqual(proof.account, account)) return `This proof is for the account ${proof.account}.`
  try {
    const { functionName, args } = decodeFunctionData({ abi: peerRegistryAbi, data: proof.data })
    if (functionName !== 'register' && functionName !== 'registerRsa') return 'This proof would call something else.'
    const what = `Register the peer ${proof.peerId.slice(-8)}`
    return { address: network.peerRegistry, abi: peerRegistryAbi, functionName, args, what }
  } catch {
    return 'This proof cannot be read.'
  }
}

function readProof(text: string): Proof | null {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    return null
  }
  const proof = read as Partial<Record<keyof Proof, unknown>> | null
  const words = [proof?.peerId, proof?.account, proof?.registry, proof?.data]
  const isWhole = words.every(word => typeof word === 'string') && words.slice(1).every(word => isHex(word))
  return isWhole && String(proof?.account).length === 42 && String(proof?.registry).length === 42
    ? (read as Proof)
    : null
}
