import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, bytesToHex, concat, type Hex, keccak256, pad, stringToBytes } from 'viem'
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { swarmCoordinatorAbi } from '../../deployments/abi.ts'
import { readDeployment } from '../../deployments/record.ts'
import { type Contracts, contractsOf } from '../../node/src/chain/contracts.ts'
import { voteCommitment } from '../../node/src/chain/votes/votes.ts'
import { encodeProposal, type ProposedTasks } from '../../node/src/core/payloads/taskProposal.ts'
import { deployMarket } from '../../node/test/deployMarket.ts'
import { deployContracts, type LocalChain } from '../../node/test/localChain.ts'
import { anvilArgv, anvilBinary } from '../../scripts/base/anvil.ts'
import { freePort } from '../../scripts/base/freePorts.ts'
import { mineStuck } from '../../scripts/base/mineStuck.ts'
import { ballotOf } from './ballotOf.ts'
import { bindPeer } from './bindPeer.ts'
import { admin, type Ballot, connect, digest, MNEMONIC, type TestPeer } from './testPeers.ts'

/** Seconds of a round on the test chain. Its clock keeps running, so a round must outlast any test. */
export const ROUND_SECONDS = 100_000
export { UNAVAILABLE } from '../../deployments/protocol.ts'
/** First round whose seats are staked for. */
export const BOOTSTRAP_ROUNDS = 1_000n
export const SALT: Hex = keccak256('0x02')
/** A specification of nothing but the leaves that a peer owes, 8, and those that are sampled, 4. */
export const SPECIFICATION: Hex = '0xa26a6f7765644c6561766573086d73616d706c65644c656176657304'
export const ENVIRONMENT: Hex = keccak256(SPECIFICATION)

/** `Claims.LOCATION`. */
const CLAIMS_SLOT: Hex = '0xd19404c6fe7de33f73628bed8bb39c5f06576752267cb98edf6636e4641ca500'

/** By the contract's number. */
const duties = ['evaluator', 'proposer'] as const
type Duty = (typeof duties)[number]

/** A real chain with the real contracts; a block is mined for each transaction, and time moves when told. */
export class TestChain {
  readonly url: string
  readonly client: ReturnType<typeof connect>
  readonly recordPath: string
  readonly #process: ChildProcess
  contracts!: Contracts
  /** The market, over a token that anyone may mint. */
  market!: { address: Address; mint: (to: Hex, amount: bigint) => Promise<void>; token: Address }
  #peers = 0
  #endMining = () => {}

  private constructor(port: number, chainId: number, process: ChildProcess, recordPath: string) {
    this.url = `http://127.0.0.1:${port}`
    this.client = connect(this.url, chainId)
    this.recordPath = recordPath
    this.#process = process
  }

  /** @param folder - where the deployment's record goes. */
  static async start(folder: string, chainId: number = foundry.id): Promise<TestChain> {
    const port = await freePort()
    const process = spawn(anvilBinary(), anvilArgv({ port, chainId }), { stdio: 'ignore' })
    const chain = new TestChain(port, chainId, process, join(folder, 'deployment.json'))
    await until(() => chain.client.getChainId().then(() => true))
    chain.#endMining = mineStuck(chain.client)
    await chain.#deploy().catch(error => {
      chain.stop()
      throw error
    })
    return chain
  }

  stop(): void {
    this.#endMining()
    this.#process.kill('SIGKILL')
  }

  async #deploy(): Promise<void> {
    const local = { client: this.client as unknown as LocalChain['client'], admin } as LocalChain
    const first = await deployContracts(local, ROUND_SECONDS, ENVIRONMENT, Number(BOOTSTRAP_ROUNDS), ROUND_SECONDS)
    const { deployment, token, mint } = await deployMarket(local, first)
    this.contracts = contractsOf(deployment)
    this.market = { address: deployment.contracts.PredictionMarket.address, token, mint }
    writeFileSync(this.recordPath, JSON.stringify(deployment))
  }

  /** The coordinator here is the implementation without its proxy, which nobody owns: its storage is told of an owner. */
  async importLeaderboard(rows: readonly { peerId: string; rewards: bigint; wins: bigint }[]): Promise<void> {
    const { address } = readDeployment(this.recordPath).contracts.SwarmCoordinator
    const holders = keccak256(concat([keccak256(stringToBytes('OWNER_ROLE')), CLAIMS_SLOT]))
    const index = keccak256(concat([pad(admin.address), holders]))
    await this.client.setStorageAt({ address, index, value: pad('0x01') })
    const call = { address, abi: swarmCoordinatorAbi, account: admin, chain: null } as const
    await this.mined(this.client.writeContract({ ...call, functionName: 'importLeaderboard', args: [rows] }))
  }

  /** Moves time to the middle of a round and mines one block there. */
  async enter(round: number): Promise<void> {
    const [startsAtSec, endsAtSec] = await this.timesOf(round)
    const timestamp = (startsAtSec + endsAtSec) / 2n
    await this.client.setNextBlockTimestamp({ timestamp })
    await this.client.mine({ blocks: 1 })
    if (round > 0) await this.#openBeacon(round - 1)
  }

  /** Fixes the beacon of a round, lets its block pass, and records it. */
  async #openBeacon(round: number): Promise<void> {
    const rounds = this.contracts.rounds
    await this.mined(this.client.writeContract({ ...rounds, functionName: 'fixBeacon', args: [BigInt(round)] }))
    await this.client.mine({ blocks: 1 })
    await this.mined(this.client.writeContract({ ...rounds, functionName: 'drawBeacon', args: [BigInt(round)] }))
  }

  /** A round's beacon and its block, as the contract has them. */
  async beaconOf(round: number): Promise<{ beacon: Hex | null; beaconBlock: number }> {
    const rounds = { ...this.contracts.rounds, args: [BigInt(round)] } as const
    const beacon = await this.client.readContract({ ...rounds, functionName: 'beaconOf' })
    const [, block] = await this.client.readContract({ ...rounds, functionName: 'beaconStateOf' })
    return { beacon: BigInt(beacon) === 0n ? null : beacon, beaconBlock: Number(block) }
  }

  async blockNumber(): Promise<number> {
    return Number(await this.client.getBlockNumber({ cacheTime: 0 }))
  }

  finalityRounds(): Promise<bigint> {
    return this.client.readContract({ ...this.contracts.rounds, functionName: 'FINALITY_ROUNDS' })
  }

  timesOf(round: number): Promise<[bigint, bigint]> {
    const rounds = this.contracts.rounds
    return Promise.all([
      this.client.readContract({ ...rounds, functionName: 'startOf', args: [BigInt(round)] }),
      this.client.readContract({ ...rounds, functionName: 'endOf', args: [BigInt(round)] }),
    ])
  }

  points(peer: TestPeer): Promise<bigint> {
    return this.client.readContract({
      ...this.contracts.rewardVotes,
      functionName: 'points',
      args: [peer.peerKey],
    })
  }

  /** Registers a new peer under its own account. */
  async register(): Promise<TestPeer> {
    const account = mnemonicToAccount(MNEMONIC, { addressIndex: ++this.#peers })
    await this.client.setBalance({ address: account.address, value: 10n ** 18n })
    const key = privateKeyToAccount(generatePrivateKey())
    return bindPeer(this, key, account)
  }

  /** The peer's key moves it to an account that has none yet. */
  async move(peer: TestPeer): Promise<TestPeer> {
    const account = mnemonicToAccount(MNEMONIC, { addressIndex: ++this.#peers })
    await this.client.setBalance({ address: account.address, value: 10n ** 18n })
    return bindPeer(this, peer.key, account)
  }

  async setSchedule(fromRound: number, roundSeconds: number): Promise<void> {
    const rounds = this.contracts.rounds
    const args = [BigInt(fromRound), roundSeconds] as const
    await this.mined(this.client.writeContract({ ...rounds, functionName: 'setSchedule', args }))
  }

  async admit(peer: TestPeer): Promise<void> {
    const votes = this.contracts.rewardVotes
    await this.mined(this.client.writeContract({ ...votes, functionName: 'admitEvaluator', args: [peer.peerKey] }))
  }

  async remove(peer: TestPeer): Promise<void> {
    const votes = this.contracts.rewardVotes
    await this.mined(this.client.writeContract({ ...votes, functionName: 'removeEvaluator', args: [peer.peerKey] }))
  }

  /** Stakes a peer's Nectar for a duty. */
  async stake(peer: TestPeer, duty: Duty = 'evaluator'): Promise<void> {
    const { account, peerKey } = peer
    const nectar = this.contracts.nectar
    const allowed = [this.contracts.stakes.address, 10n ** 30n] as const
    await this.mined(this.client.writeContract({ ...nectar, account, functionName: 'approve', args: allowed }))
    const stakes = { ...this.contracts.stakes, account } as const
    await this.mined(
      this.client.writeContract({ ...stakes, functionName: 'stake', args: [duties.indexOf(duty), peerKey] }),
    )
  }

  /** Gives notice of it. @returns the round from which on it is free. */
  async unstake({ account, peerKey }: TestPeer): Promise<number> {
    const stakes = this.contracts.stakes
    await this.mined(this.client.writeContract({ ...stakes, account, functionName: 'unstake', args: [0, peerKey] }))
    const held = await this.client.readContract({ ...stakes, functionName: 'stakeOf', args: [0, peerKey] })
    return Number(held.freeFromRound)
  }

  /** Slashes a peer's stake as an evaluator, as the contract of votes does once an appeal overturned its seat; half goes to `wronged`. */
  async slash({ peerKey }: TestPeer, milli: number, wronged: Address): Promise<void> {
    const account = this.contracts.rewardVotes.address
    await this.client.setBalance({ address: account, value: 10n ** 18n })
    await this.client.impersonateAccount({ address: account })
    const args = [0, peerKey, milli, wronged] as const
    await this.mined(this.client.writeContract({ ...this.contracts.stakes, account, functionName: 'slash', args }))
    await this.client.stopImpersonatingAccount({ address: account })
  }

  /** Commits to a proposer's secret for a round, two rounds ahead. */
  async commitSecret({ account, peerKey }: TestPeer, round: number): Promise<void> {
    const contract = this.contracts.rolloutCommitments
    const args = [BigInt(round), peerKey, keccak256(SALT)] as const
    await this.mined(this.client.writeContract({ ...contract, account, functionName: 'commitSecret', args }))
  }

  /** Proposes for the next round, with a last place that holds no task, and commits to the same secret for the one after it. */
  async propose({ account, peerKey }: TestPeer, round: number, count: number): Promise<void> {
    const contract = this.contracts.rolloutCommitments
    const bytes = bytesToHex(encodeProposal(tasksOf(count)))
    const args = [BigInt(round), peerKey, SALT, count + 1, bytes, keccak256(SALT)] as const
    await this.mined(this.client.writeContract({ ...contract, account, functionName: 'propose', args }))
  }

  async commit(peer: TestPeer, round: number, leafCount: number): Promise<void> {
    const contract = this.contracts.rolloutCommitments
    const root = digest(`rollouts ${leafCount}`)
    const work = [root, leafCount, digest('policy'), digest('rollout bundle'), digest('policy')] as const
    const args = [BigInt(round), peer.peerKey, ...work] as const
    await this.mined(this.client.writeContract({ ...contract, account: peer.account, functionName: 'commit', args }))
  }

  currentRound(): Promise<number> {
    const rounds = this.contracts.rounds
    return this.client.readContract({ ...rounds, functionName: 'currentRound' }).then(Number)
  }

  async commitVotes(round: number, vote: Ballot): Promise<void> {
    const contract = this.contracts.rewardVotes
    const ballot = await ballotOf(this, round, vote)
    const commitment = voteCommitment({ chainId: foundry.id, rewardVotes: contract.address }, ballot, SALT)
    const { shard, position, evaluatorKey } = ballot
    const args = [BigInt(round), shard, position, evaluatorKey, commitment] as const
    const { account } = vote.evaluator
    await this.mined(this.client.writeContract({ ...contract, account, functionName: 'commitVotes', args }))
  }

  async revealVotes(round: number, vote: Ballot): Promise<void> {
    const contract = this.contracts.rewardVotes
    const args = [await ballotOf(this, round, vote), SALT] as const
    await this.mined(this.client.writeContract({ ...contract, functionName: 'revealVotes', args }))
  }

  async settle(round: number, peers: TestPeer[]): Promise<void> {
    const contract = this.contracts.rewardVotes
    const args = [BigInt(round), 0, peers.map(({ peerKey }) => peerKey)] as const
    await this.mined(this.client.writeContract({ ...contract, functionName: 'settle', args }))
  }

  /** Mints what a peer has earned, and says how much it has by now, in wei. */
  async claim(peer: TestPeer): Promise<bigint> {
    const contract = { ...this.contracts.nectar, args: [peer.peerKey] } as const
    await this.mined(this.client.writeContract({ ...contract, functionName: 'claim' }))
    return this.client.readContract({ ...contract, functionName: 'claimedOf' })
  }

  /** Undoes the last blocks and puts empty ones in their place. */
  async reorganise(depth: number): Promise<void> {
    await this.client.request({ method: 'anvil_reorg', params: [depth, []] } as never)
  }

  /** Waits for a call to be in a block. */
  async mined(sent: Promise<Hex>): Promise<void> {
    const hash = await sent
    const receipt = await this.client.waitForTransactionReceipt({ hash }).catch(async cause => {
      const where = await this.#whereIs(hash).catch(() => 'the chain does not answer')
      throw new Error(`not mined: ${where}`, { cause })
    })
    if (receipt.status !== 'success') throw new Error(`reverted: ${receipt.transactionHash}`)
  }

  /** The chain's block, that of the transaction, and what waits in the pool, by account and nonce. */
  async #whereIs(hash: Hex): Promise<string> {
    const transaction = await this.client.getTransaction({ hash }).catch(() => null)
    const { pending, queued } = await this.client.getTxpoolContent()
    const nonces = (pool: typeof pending) => Object.entries(pool).map(([from, byNonce]) => [from, Object.keys(byNonce)])
    return JSON.stringify({
      ...{ hash, from: transaction?.from, nonce: transaction?.nonce, pending: nonces(pending), queued: nonces(queued) },
      ...{ block: String(await this.client.getBlockNumber()), included: String(transaction?.blockNumber) },
    })
  }
}

/** So many tasks of level 2. */
export function tasksOf(count: number): ProposedTasks {
  return { level: 2, texts: Array.from({ length: count }, (_, at) => `problem ${at}`) }
}

/** Waits for something that other processes bring about, asking again until it holds. */
export async function until(holds: () => Promise<boolean>, timeoutMs = 480_000): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs
  let last: unknown
  for (;;) {
    try {
      if (await holds()) return
      last = undefined
    } catch (error) {
      last = error
    }
    if (performance.now() > deadlineMs) throw new Error('waited in vain', { cause: last })
    await new Promise(resolve => setTimeout(resolve, 25))
  }
}
