import { peerRegistryAbi, rewardVotesAbi, stakesAbi } from '@waggle/deployments/abi'
import type { Deployment } from '@waggle/deployments/record'
import {
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  type PublicClient,
  parseEther,
  publicActions,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { contractsOf } from '../../node/src/chain/contracts.ts'
import { commitSecret } from '../../node/src/chain/work/proposals.ts'
import { type Identity, openIdentity } from '../../node/src/store/identity.ts'
import { LOCAL_KEY } from '../deploy/networks.ts'
import type { SwarmPeer } from './peers.ts'
import { registerPeers } from './registerPeers.ts'

/** Coin with which a peer's account starts: far more than a year of rounds costs. */
const FUNDS_WEI = parseEther('10')

/**
 * Funds the peers' accounts, as the deployer, registers the peers that take part, so that on a fresh chain their keys count from round 0,
 * lists the bootnodes, admits the evaluators, and commits to the first secrets; steps that are already done are skipped.
 */
export async function provisionPeers(
  rpcUrl: string,
  deployment: Deployment,
  peers: SwarmPeer[],
  bootnodes: readonly string[],
): Promise<void> {
  const { contracts } = deployment
  const account = privateKeyToAccount(LOCAL_KEY)
  const deployer = createWalletClient({ account, transport: http(rpcUrl), pollingInterval: 200 }).extend(publicActions)
  const votes = { address: contracts.RewardVotes.address, abi: rewardVotesAbi } as const
  const hashes: `0x${string}`[] = []
  for (const { address } of peers) {
    if ((await deployer.getBalance({ address })) >= FUNDS_WEI / 2n) continue
    hashes.push(await deployer.sendTransaction({ chain: null, to: address, value: FUNDS_WEI }))
  }
  await allMined(deployer, hashes.splice(0))
  const registrants = await Promise.all(
    peers.filter(({ role }) => role !== 'gateway' && role !== 'auditor').map(({ folder }) => openIdentity(folder)),
  )
  hashes.push(...(await registerPeers(rpcUrl, deployment, registrants)))
  // A seat sits from the round after its admission on, so the seats of the last round of bootstrap are all that are admitted.
  const stakes = { address: contracts.Stakes.address, abi: stakesAbi } as const
  const lastRound = (await deployer.readContract({ ...stakes, functionName: 'bootstrapRounds' })) - 1n
  const seats = await deployer.readContract({ ...votes, functionName: 'seatsAt', args: [lastRound] })
  for (const { peerKey } of peers.filter(({ role }) => role === 'evaluator')) {
    if (seats.includes(peerKey)) continue
    const call = { ...votes, functionName: 'admitEvaluator', args: [peerKey] } as const
    // A round that begins before the block does makes the call write more.
    const gas = ((await deployer.estimateContractGas(call)) * 3n) / 2n
    hashes.push(await deployer.writeContract({ ...call, gas, chain: null }))
  }
  const registry = { address: contracts.PeerRegistry.address, abi: peerRegistryAbi } as const
  const listed = await deployer.readContract({ ...registry, functionName: 'bootnodes' })
  if (listed.join() !== bootnodes.join()) {
    const call = { ...registry, functionName: 'setBootnodes', args: [bootnodes] } as const
    hashes.push(await deployer.writeContract({ ...call, chain: null }))
  }
  await allMined(deployer, hashes)
  const proposers = peers.filter(({ role }) => role === 'proposer')
  await commitFirstSecrets(rpcUrl, deployment, await Promise.all(proposers.map(({ folder }) => openIdentity(folder))))
}

/**
 * Commits proposers to their secrets of round 1, which can be done until round 0 begins. Proposals need a secret of two rounds before, so
 * that the first tasks would be those of round 2, if each proposer did it in the first round in which it runs.
 */
export async function commitFirstSecrets(
  rpcUrl: string,
  deployment: Deployment,
  proposers: readonly Pick<Identity, 'accountKey' | 'peerKey'>[],
): Promise<void> {
  const contracts = contractsOf(deployment)
  const client = createPublicClient({ transport: http(rpcUrl), pollingInterval: 200, cacheTime: 0 })
  if ((await client.readContract({ ...contracts.rounds, functionName: 'firstOpenRound' })) !== 0n) return
  for (const { accountKey, peerKey } of proposers) {
    const account = privateKeyToAccount(accountKey)
    const { to, data } = commitSecret(contracts, accountKey, { round: 1, peerKey })
    const wallet = createWalletClient({ account, transport: http(rpcUrl) })
    // Round 0 may begin in the meantime, which refuses this: the proposer then starts a round later.
    const hash = await wallet.sendTransaction({ to, data, chain: null }).catch(() => null)
    if (hash !== null) await client.waitForTransactionReceipt({ hash, timeout: 30_000 })
  }
}

async function allMined(client: Pick<PublicClient, 'waitForTransactionReceipt'>, hashes: Hex[]): Promise<void> {
  for (const hash of hashes) {
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: 30_000 })
    if (receipt.status !== 'success') throw new Error(`transaction ${hash} failed`)
  }
}
