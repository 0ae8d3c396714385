import type { HardhatViemHelpers } from '@nomicfoundation/hardhat-viem/types'
import { network } from 'hardhat'
import {
  type Address,
  bytesToHex,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  stringToBytes,
  toHex,
} from 'viem'
import { chooseHistory, endow, forgetBlocks, seedHistory } from '../../../contracts/test/chainState.ts'
import { deployContracts } from '../../../contracts/test/deployContracts.ts'
import { proveRegistration } from '../../../contracts/test/proveRegistration.ts'
import { specifiedSample } from '../../../node/src/chain/votes/samples.ts'
import { encodeCanonical } from '../../../node/src/core/canonical.ts'
import { compilePatched, type Patch } from '../compilePatched.ts'
import { deployFrom } from '../deployFrom.ts'

export const ROUND_SECONDS = 3_600

/** Leaves that a peer owes in a round, and how many of them are scored. */
export const OWED = 8
export const SAMPLED = 4

/** Gas limit above that of any call here. */
const GAS = toHex(12_000_000)

const FILES = [
  'PeerRegistry',
  'Rounds',
  'RolloutCommitments',
  'RewardVotes',
  'Challenges',
  'Stakes',
  'Openings',
  'Nectar',
].map(name => `contracts/src/${name}.sol`)

/** `IStakes.Duty`, and the stake of each. */
const DUTIES = {
  evaluator: { duty: 0, stakeWei: 100n * 10n ** 18n },
  proposer: { duty: 1, stakeWei: 50n * 10n ** 18n },
} as const

export type Duty = keyof typeof DUTIES

/** Fixed time, so that the beacons of a seed are the same on every day. */
const STARTED = new Date('2030-01-01T00:00:00Z')

/** Number of accounts, more than members. */
const ACCOUNTS = 40

/** The fields of a specification that the chain reads. */
export const SPECIFICATION = encodeCanonical({ owedLeaves: OWED, sampledLeaves: SAMPLED })

/** A registered peer, and the account that speaks for it. */
export interface Member {
  readonly key: Hex
  readonly account: Address
}

/** A chain in this process, with the contracts on it and accounts that have ether. */
async function deploySwarm(patches: readonly Patch[] | 'built') {
  const { viem, provider, networkHelpers } = await network.create({
    override: { allowUnlimitedContractSize: true, accounts: { count: ACCOUNTS }, initialDate: STARTED },
  })
  const [wallet, ...wallets] = await viem.getWalletClients()
  const client = await viem.getPublicClient()
  if (wallet === undefined) throw new Error('the chain has no account')
  const deployContract =
    patches === 'built' ? viem.deployContract : deployFrom(compilePatched(FILES, patches), wallet, client)
  const request = provider.request.bind(provider) as (call: { method: string; params?: unknown[] }) => Promise<unknown>
  const startsAtSec = Math.ceil(Number((await client.getBlock()).timestamp) / ROUND_SECONDS + 1) * ROUND_SECONDS
  const contracts = await deployContracts({ ...viem, deployContract } as unknown as HardhatViemHelpers, {
    startsAtSec,
    roundSeconds: ROUND_SECONDS,
    bootstrapRounds: 0,
    environmentHash: keccak256(SPECIFICATION),
  })
  return { contracts, wallet, wallets, request, networkHelpers, startsAtSec }
}

/**
 * The real contracts on a chain in this process, and one call for each thing that somebody can do there.
 *
 * @param patches - defences to take out, or the contracts as Hardhat has built them.
 */
export async function openSwarm(patches: readonly Patch[] | 'built') {
  const { contracts, wallet, wallets, request, networkHelpers, startsAtSec } = await deploySwarm(patches)
  const { registry, rounds, commitments, stakes, nectar, openings, chainId } = contracts
  const { specification, owedAt, sampledAt } = specifiedSample(SPECIFICATION)
  await openings.write.describe([specification, owedAt, sampledAt])
  await chooseHistory(request, ROUND_SECONDS)
  const nonces = new Map<Address, bigint>()

  const send = senderOn(request)

  return {
    ...contracts,
    /** Unused accounts. */
    accounts: wallets.map(({ account }) => account.address),
    send,
    async enrol(name: string, account: Address): Promise<Member> {
      const nonce = nonces.get(account) ?? 0n
      nonces.set(account, nonce + 1n)
      const privateKey = keccak256(stringToBytes(name))
      const args = await proveRegistration(privateKey, chainId, registry.address, account, nonce)
      await send(account, registry.address, { abi: registry.abi, functionName: 'register', args })
      const [key] = await registry.read.peersOf([account, nonce, 1n])
      if (key === undefined) throw new Error(`${name} was not registered`)
      return { key, account }
    },
    startsAtSec,
    /** Stakes for a duty, with Nectar that was earned before this run. */
    async stake(name: Duty, { key, account }: Member) {
      const { duty, stakeWei } = DUTIES[name]
      await endow(request, nectar.address, account, stakeWei)
      await send(account, nectar.address, {
        abi: nectar.abi,
        functionName: 'approve',
        args: [stakes.address, stakeWei],
      })
      await send(account, stakes.address, { abi: stakes.abi, functionName: 'stake', args: [duty, key] })
    },
    /** Slashed part of a stake. */
    async slashedWei(name: Duty, key: Hex): Promise<bigint> {
      const { duty, stakeWei } = DUTIES[name]
      const { amountWei } = await stakes.read.stakeOf([duty, key])
      return stakeWei - amountWei
    },
    seed: (seed: number) => seedHistory(request, seed),
    /** Advances to a round, and records the beacon of the one before. */
    async enter(round: number) {
      await networkHelpers.time.increaseTo(startsAtSec + round * ROUND_SECONDS)
      if (round === 0) return
      const args = [BigInt(round - 1)] as const
      await send(wallet.account.address, rounds.address, { abi: rounds.abi, functionName: 'fixBeacon', args })
      await forgetBlocks(request)
      await send(wallet.account.address, rounds.address, { abi: rounds.abi, functionName: 'drawBeacon', args })
    },
    commit: ({ key, account }: Member, round: number, root: Hex, leafCount: number) =>
      send(account, commitments.address, {
        abi: commitments.abi,
        functionName: 'commit',
        args: [BigInt(round), key, root, leafCount, POLICY, POLICY, POLICY],
      }),
    snapshot: async () => {
      const { restore } = await networkHelpers.takeSnapshot()
      const kept = new Map(nonces)
      return async () => {
        await restore()
        nonces.clear()
        for (const [account, nonce] of kept) nonces.set(account, nonce)
      }
    },
  }
}

/** Sends a call, mined at once. @throws if it reverts. */
const senderOn =
  (request: (call: { method: string; params?: unknown[] }) => Promise<unknown>) =>
  (
    account: Address,
    to: Address,
    call: EncodeFunctionDataParameters,
    { valueWei = 0n, gasPriceWei }: { valueWei?: bigint; gasPriceWei?: bigint } = {},
  ): Promise<unknown> => {
    const price = gasPriceWei === undefined ? {} : { gasPrice: toHex(gasPriceWei) }
    const data = encodeFunctionData(call)
    return request({
      method: 'eth_sendTransaction',
      params: [{ from: account, to, gas: GAS, value: toHex(valueWei), data, ...price }],
    })
  }

export type Swarm = Awaited<ReturnType<typeof openSwarm>>

/** Every peer trains the same policy, which does not matter here. */
export const POLICY = keccak256(stringToBytes('policy'))

export function randomHex(random: { word(): number }): Hex {
  return bytesToHex(new Uint8Array(Uint32Array.from({ length: 8 }, () => random.word()).buffer))
}
