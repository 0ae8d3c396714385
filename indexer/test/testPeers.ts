import { createTestClient, type Hex, http, keccak256, publicActions, walletActions } from 'viem'
import { mnemonicToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import type { Contracts } from '../../node/src/chain/contracts.ts'

export const MNEMONIC = 'test test test test test test test test test test test junk'
export const admin = mnemonicToAccount(MNEMONIC)

export interface TestPeer {
  peerKey: Hex
  peerId: string
  account: ReturnType<typeof mnemonicToAccount>
  key: PrivateKeyAccount
}

export interface Ballot {
  evaluator: TestPeer
  scores: { peer: TestPeer; scoreMilli: number }[]
}

/** A chain with contracts, and the account that deployed them. */
export interface ConnectedChain {
  client: ReturnType<typeof connect>
  contracts: Contracts
  mined(sent: Promise<Hex>): Promise<void>
}

export function connect(url: string, chainId: number = foundry.id) {
  const chain = { ...foundry, id: chainId }
  return createTestClient({ mode: 'anvil', chain, transport: http(url), account: admin, pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions)
}

export function digest(text: string): Hex {
  return keccak256(`0x${Buffer.from(text).toString('hex')}`)
}
