import assert from 'node:assert/strict'
import { network } from 'hardhat'
import { type Address, type Hex, keccak256, stringToBytes } from 'viem'
import { chooseHistory, forgetBlocks, seedHistory } from './chainState.ts'
import { deployContracts } from './deployContracts.ts'
import { proveRegistration } from './proveRegistration.ts'

const ROUND_SECONDS = 3_600

export type Member = { key: Hex; account: Address }
export type Swarm = Awaited<ReturnType<typeof openSwarm>>

export const hashOf = (text: string) => keccak256(stringToBytes(text))

/** Evaluators with accounts of their own, and peers of the first `peerAccounts` of those: some are the evaluators' own. */
export async function openSwarm(size: {
  evaluators: number
  peers: number
  peerAccounts: number
  /** Of the environment. */
  specification?: Uint8Array
}) {
  const { viem, provider, networkHelpers } = await network.create()
  const request = provider.request.bind(provider) as Parameters<typeof chooseHistory>[0]
  const accounts = (await viem.getWalletClients()).map(wallet => wallet.account.address)
  // Peers register before the first round, and count from that.
  const startsAtSec = Number((await (await viem.getPublicClient()).getBlock()).timestamp) + ROUND_SECONDS
  const contracts = await deployContracts(viem, {
    startsAtSec,
    roundSeconds: ROUND_SECONDS,
    ...(size.specification && { environmentHash: keccak256(size.specification) }),
  })
  const { registry, rounds, votes, chainId } = contracts
  await chooseHistory(request, ROUND_SECONDS)
  await seedHistory(request, 0)
  const nonces = new Map<Address, bigint>()
  const enrol = async (name: string, account: Address): Promise<Member> => {
    const nonce = nonces.get(account) ?? 0n
    nonces.set(account, nonce + 1n)
    await registry.write.register(await proveRegistration(hashOf(name), chainId, registry.address, account, nonce), {
      account,
    })
    const [key] = await registry.read.peersOf([account, nonce, 1n])
    assert(key)
    return { key, account }
  }
  const evaluators: Member[] = []
  for (let i = 0; i < size.evaluators; i++) {
    const evaluator = await enrol(`evaluator ${i}`, accounts[i + 1] as Address)
    await votes.write.admitEvaluator([evaluator.key])
    evaluators.push(evaluator)
  }
  const peers: Member[] = []
  for (let i = 0; i < size.peers; i++)
    peers.push(await enrol(`peer ${i}`, accounts[1 + (i % size.peerAccounts)] as Address))
  const accountOf = (key: Hex) => evaluators.find(one => one.key === key)?.account as Address

  /** Goes to a round, with the beacons of the two before it recorded. */
  const enter = async (round: bigint) => {
    for (const next of [round - 1n, round]) {
      const { timestamp } = await contracts.client.getBlock()
      const starts = await rounds.read.startOf([next])
      if (timestamp < starts) await networkHelpers.time.increaseTo(starts)
      if (next === 0n || (await rounds.read.currentRound()) !== next) continue
      await rounds.write.fixBeacon([next - 1n])
      await forgetBlocks(request)
      await rounds.write.drawBeacon([next - 1n])
    }
  }
  return { ...contracts, accounts, evaluators, peers, accountOf, enter }
}
