import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import {
  challengesAbi,
  nectarAbi,
  peerRegistryAbi,
  rewardVotesAbi,
  rolloutCommitmentsAbi,
  roundsAbi,
  stakesAbi,
} from '@waggle/deployments/abi'
import { eachContract } from '@waggle/deployments/contractNames'
import {
  type Abi,
  type Address,
  createTestClient,
  type Hex,
  hashTypedData,
  http,
  keccak256,
  publicActions,
  sha256,
  walletActions,
} from 'viem'
import { generatePrivateKey, mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { appealCommitment } from '../../node/src/chain/appealCommitment.ts'
import { voteCommitment } from '../../node/src/chain/voteCommitment.ts'
import { leafHash } from '../../node/src/core/leaf.ts'
import { merkleProof, merkleRoot } from '../../node/src/core/merkle.ts'
import { buildContracts } from '../../node/test/buildContracts.ts'
import { deployMarket } from '../../node/test/deployMarket.ts'
import type { LocalChain } from '../../node/test/localChain.ts'
import { anvilArgv, anvilBinary } from '../../scripts/anvil.ts'

const root = join(import.meta.dirname, '../..')
const MNEMONIC = 'test test test test test test test test test test test junk'
const admin = mnemonicToAccount(MNEMONIC)

/** Seconds of a round on the test chain. Its clock runs on beside ours, so that a round must outlast any test. */
export const ROUND_SECONDS = 100_000
export const UNAVAILABLE = 65_535
/** First round whose seats are staked for. */
export const BOOTSTRAP_ROUNDS = 1_000n
const SALT: Hex = keccak256('0x02')
/** A specification of nothing but the leaves that a peer owes, 8, and those that are sampled, 4. */
const SPECIFICATION: Hex = '0xa26a6f7765644c6561766573086d73616d706c65644c656176657304'
export const ENVIRONMENT: Hex = keccak256(SPECIFICATION)
const BODY: Hex = '0xb0d1'

export interface TestPeer {
  peerKey: Hex
  peerId: string
  account: ReturnType<typeof mnemonicToAccount>
  key: PrivateKeyAccount
}

/** What a peer has committed to in a round, leaf by leaf. */
export interface CommittedLeaves {
  peer: TestPeer
  round: number
  work: { root: Hex; leafCount: number; policyHash: Hex; contentId: Hex }
  headers: { index: number; taskHash: Hex; policyHash: Hex; seed: Hex; bodyHash: Hex }[]
  hashes: Hex[]
}

export interface Ballot {
  evaluator: TestPeer
  scores: { peer: TestPeer; scoreMilli: number }[]
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

function connect(url: string) {
  return createTestClient({ mode: 'anvil', chain: foundry, transport: http(url), account: admin, pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions)
}

/** A real chain with the real contracts; a block is mined for each transaction, and time moves when told. */
export class TestChain {
  readonly url: string
  readonly client: ReturnType<typeof connect>
  readonly recordPath: string
  readonly #process: ChildProcess
  #contracts!: Record<
    'PeerRegistry' | 'Rounds' | 'RolloutCommitments' | 'RewardVotes' | 'Challenges' | 'Nectar' | 'Stakes',
    Address
  >
  /** Of the market, over a token that anyone may have. */
  market!: { address: Address; mint: (to: Hex, amount: bigint) => Promise<void>; token: Address }
  #startsAtSec = 0n
  #peers = 0

  private constructor(port: number, process: ChildProcess, recordPath: string) {
    this.url = `http://127.0.0.1:${port}`
    this.client = connect(this.url)
    this.recordPath = recordPath
    this.#process = process
  }

  /** @param folder - where the deployment's record goes. */
  static async start(folder: string): Promise<TestChain> {
    const port = await freePort()
    const chain = new TestChain(
      port,
      spawn(anvilBinary(), anvilArgv({ port }), { stdio: 'ignore' }),
      join(folder, 'deployment.json'),
    )
    await until(() => chain.client.getChainId().then(() => true))
    await chain.#deploy()
    return chain
  }

  stop(): void {
    this.#process.kill('SIGKILL')
  }

  async #deploy(): Promise<void> {
    await buildContracts(artifactPath('RewardVotes'))
    const { timestamp } = await this.client.getBlock()
    this.#startsAtSec = timestamp + 50n
    const registry = await this.#create('PeerRegistry', [admin.address])
    const rounds = await this.#create('Rounds', [admin.address, Number(this.#startsAtSec), ROUND_SECONDS, ENVIRONMENT])
    const stakes = await this.#create('Stakes', [registry.address, rounds.address, BOOTSTRAP_ROUNDS])
    const commitments = await this.#create('RolloutCommitments', [registry.address, rounds.address, stakes.address])
    const votes = await this.#create('RewardVotes', [
      admin.address,
      registry.address,
      rounds.address,
      commitments.address,
      stakes.address,
    ])
    const challenges = await this.#create('Challenges', [votes.address, 10n ** 8n, 10n ** 16n])
    const openings = await this.#create('Openings', [votes.address])
    const nectar = await this.#create('Nectar', [registry.address, votes.address, openings.address])
    await this.#mined(
      this.client.writeContract({
        address: stakes.address,
        abi: stakesAbi,
        functionName: 'wire',
        args: [nectar.address, votes.address, challenges.address],
      }),
    )
    this.#contracts = {
      PeerRegistry: registry.address,
      Rounds: rounds.address,
      RolloutCommitments: commitments.address,
      RewardVotes: votes.address,
      Challenges: challenges.address,
      Nectar: nectar.address,
      Stakes: stakes.address,
    }
    const indexed = {
      PeerRegistry: registry,
      Rounds: rounds,
      RolloutCommitments: commitments,
      RewardVotes: votes,
      Challenges: challenges,
      Nectar: nectar,
      Openings: openings,
      Stakes: stakes,
    }
    // What the index does not read may be anywhere.
    const contracts = { ...eachContract(() => registry), ...indexed }
    const first = { network: 'local', chainId: foundry.id, contracts }
    const { deployment, token, mint } = await deployMarket(
      { client: this.client as unknown as LocalChain['client'], admin },
      first,
    )
    this.market = { address: deployment.contracts.PredictionMarket.address, token, mint }
    writeFileSync(this.recordPath, JSON.stringify(deployment))
  }

  async #create(name: string, args: unknown[]): Promise<{ address: Address; startBlock: number }> {
    const { abi, bytecode } = JSON.parse(readFileSync(artifactPath(name), 'utf8')) as { abi: Abi; bytecode: Hex }
    const hash = await this.client.deployContract({ abi, bytecode, args })
    const receipt = await this.client.waitForTransactionReceipt({ hash })
    if (!receipt.contractAddress) throw new Error(`${name} was not deployed`)
    return { address: receipt.contractAddress, startBlock: Number(receipt.blockNumber) }
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
    const rounds = { address: this.#contracts.Rounds, abi: roundsAbi } as const
    await this.#mined(this.client.writeContract({ ...rounds, functionName: 'fixBeacon', args: [BigInt(round)] }))
    await this.client.mine({ blocks: 1 })
    await this.#mined(this.client.writeContract({ ...rounds, functionName: 'drawBeacon', args: [BigInt(round)] }))
  }

  /** A round's beacon and its block, as the contract has them. */
  async beaconOf(round: number): Promise<{ beacon: Hex | null; beaconBlock: number }> {
    const rounds = { address: this.#contracts.Rounds, abi: roundsAbi, args: [BigInt(round)] } as const
    const beacon = await this.client.readContract({ ...rounds, functionName: 'beaconOf' })
    const [, block] = await this.client.readContract({ ...rounds, functionName: 'beaconStateOf' })
    return { beacon: BigInt(beacon) === 0n ? null : beacon, beaconBlock: Number(block) }
  }

  async blockNumber(): Promise<number> {
    return Number(await this.client.getBlockNumber({ cacheTime: 0 }))
  }

  finalityRounds(): Promise<bigint> {
    return this.client.readContract({
      address: this.#contracts.Rounds,
      abi: roundsAbi,
      functionName: 'FINALITY_ROUNDS',
    })
  }

  timesOf(round: number): Promise<[bigint, bigint]> {
    const rounds = { address: this.#contracts.Rounds, abi: roundsAbi } as const
    return Promise.all([
      this.client.readContract({ ...rounds, functionName: 'startOf', args: [BigInt(round)] }),
      this.client.readContract({ ...rounds, functionName: 'endOf', args: [BigInt(round)] }),
    ])
  }

  points(peer: TestPeer): Promise<bigint> {
    return this.client.readContract({
      address: this.#contracts.RewardVotes,
      abi: rewardVotesAbi,
      functionName: 'points',
      args: [peer.peerKey],
    })
  }

  /** Registers a new peer under an account of its own. */
  async register(): Promise<TestPeer> {
    const account = mnemonicToAccount(MNEMONIC, { addressIndex: ++this.#peers })
    await this.client.setBalance({ address: account.address, value: 10n ** 18n })
    const key = privateKeyToAccount(generatePrivateKey())
    return this.#bind(key, account)
  }

  /** The peer's key moves it to an account that has none yet. */
  async move(peer: TestPeer): Promise<TestPeer> {
    const account = mnemonicToAccount(MNEMONIC, { addressIndex: ++this.#peers })
    await this.client.setBalance({ address: account.address, value: 10n ** 18n })
    return this.#bind(peer.key, account)
  }

  async #bind(key: PrivateKeyAccount, account: TestPeer['account']): Promise<TestPeer> {
    const registry = { address: this.#contracts.PeerRegistry, abi: peerRegistryAbi } as const
    const publicKey: Hex = `0x${key.publicKey.slice(4)}`
    const deadline = 1n << 40n
    const digest = hashTypedData({
      domain: { name: 'Waggle PeerRegistry', version: '1', chainId: foundry.id, verifyingContract: registry.address },
      primaryType: 'Registration',
      types: {
        Registration: [
          { name: 'account', type: 'address' },
          { name: 'publicKeyHash', type: 'bytes32' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
      message: {
        account: account.address,
        publicKeyHash: keccak256(publicKey),
        nonce: await this.client.readContract({ ...registry, functionName: 'nonces', args: [account.address] }),
        deadline,
      },
    })
    const signature = await key.sign({ hash: digest })
    const { request, result: peerKey } = await this.client.simulateContract({
      ...registry,
      account,
      functionName: 'register',
      args: [publicKey, signature, deadline],
    })
    await this.#mined(this.client.writeContract(request))
    const peerId = await this.client.readContract({ ...registry, functionName: 'peerIdOf', args: [peerKey] })
    return { peerKey, peerId, account, key }
  }

  async setSchedule(fromRound: number, roundSeconds: number): Promise<void> {
    const rounds = { address: this.#contracts.Rounds, abi: roundsAbi } as const
    const args = [BigInt(fromRound), roundSeconds] as const
    await this.#mined(this.client.writeContract({ ...rounds, functionName: 'setSchedule', args }))
  }

  async admit(peer: TestPeer): Promise<void> {
    const votes = { address: this.#contracts.RewardVotes, abi: rewardVotesAbi } as const
    await this.#mined(this.client.writeContract({ ...votes, functionName: 'admitEvaluator', args: [peer.peerKey] }))
  }

  async remove(peer: TestPeer): Promise<void> {
    const votes = { address: this.#contracts.RewardVotes, abi: rewardVotesAbi } as const
    await this.#mined(this.client.writeContract({ ...votes, functionName: 'removeEvaluator', args: [peer.peerKey] }))
  }

  /** Stakes a peer's Nectar for a seat. */
  async stake(peer: TestPeer): Promise<void> {
    const { account, peerKey } = peer
    const nectar = { address: this.#contracts.Nectar, abi: nectarAbi } as const
    const allowed = [this.#contracts.Stakes, 10n ** 30n] as const
    await this.#mined(this.client.writeContract({ ...nectar, account, functionName: 'approve', args: allowed }))
    const stakes = { address: this.#contracts.Stakes, abi: stakesAbi, account } as const
    await this.#mined(this.client.writeContract({ ...stakes, functionName: 'stake', args: [0, peerKey] }))
  }

  /** Gives notice of it. @returns the round from which on it is free. */
  async unstake({ account, peerKey }: TestPeer): Promise<number> {
    const stakes = { address: this.#contracts.Stakes, abi: stakesAbi } as const
    await this.#mined(this.client.writeContract({ ...stakes, account, functionName: 'unstake', args: [0, peerKey] }))
    const held = await this.client.readContract({ ...stakes, functionName: 'stakeOf', args: [0, peerKey] })
    return Number(held.freeFromRound)
  }

  async commitTasks(peer: TestPeer, round: number, count: number): Promise<void> {
    const contract = { address: this.#contracts.RolloutCommitments, abi: rolloutCommitmentsAbi } as const
    const args = [BigInt(round), peer.peerKey, digest(`tasks ${count}`), count, digest('task bundle')] as const
    await this.#mined(
      this.client.writeContract({ ...contract, account: peer.account, functionName: 'commitTasks', args }),
    )
  }

  async commit(peer: TestPeer, round: number, leafCount: number): Promise<void> {
    const contract = { address: this.#contracts.RolloutCommitments, abi: rolloutCommitmentsAbi } as const
    const root = digest(`rollouts ${leafCount}`)
    const args = [BigInt(round), peer.peerKey, root, leafCount, digest('policy'), digest('rollout bundle')] as const
    await this.#mined(this.client.writeContract({ ...contract, account: peer.account, functionName: 'commit', args }))
  }

  /** Commits to eight leaves of this round, all with a seed of the peer's own choice. */
  async commitLeaves(peer: TestPeer, round: number): Promise<CommittedLeaves> {
    const contract = { address: this.#contracts.RolloutCommitments, abi: rolloutCommitmentsAbi } as const
    const leaf = {
      taskHash: digest('task'),
      policyHash: digest('policy'),
      seed: digest('own seed'),
      bodyHash: sha256(BODY),
    }
    const place = { chainId: foundry.id, round, peerKey: peer.peerKey }
    const headers = Array.from({ length: 8 }, (_, index) => ({ index, ...leaf }))
    const hashes = headers.map(header => leafHash({ ...place, ...header }))
    const work = { root: merkleRoot(hashes), leafCount: 8, policyHash: leaf.policyHash, contentId: digest('bundle') }
    const args = [BigInt(round), peer.peerKey, work.root, 8, work.policyHash, work.contentId] as const
    await this.#mined(this.client.writeContract({ ...contract, account: peer.account, functionName: 'commit', args }))
    return { peer, round, work, headers, hashes }
  }

  /** Shows one of them to be false. */
  async challengeLeaf({ peer, round, work, headers, hashes }: CommittedLeaves): Promise<void> {
    const [leaf] = headers
    if (leaf === undefined) throw new Error('no leaf')
    const args = [BigInt(round), peer.peerKey, work, leaf, merkleProof(hashes, 0)] as const
    await this.#mined(this.client.writeContract({ ...this.#challenges, functionName: 'challengeLeaf', args }))
  }

  /** Demands the leaf at a place of the draw. @returns its index. */
  async demandLeaf({ peer, round, work }: CommittedLeaves, place: number): Promise<number> {
    const sample = { specification: SPECIFICATION, owedAt: 1n, sampledAt: 13n, place }
    const args = [BigInt(round), peer.peerKey, work, sample] as const
    const call = { ...this.#challenges, functionName: 'demandLeaf', args, value: 10n ** 17n } as const
    const { request, result } = await this.client.simulateContract({ ...call, account: admin })
    await this.#mined(this.client.writeContract(request))
    return result
  }

  async showLeaf({ peer, round, work, headers, hashes }: CommittedLeaves, index: number): Promise<void> {
    const leaf = headers[index]
    if (leaf === undefined) throw new Error(`no leaf ${index}`)
    const args = [BigInt(round), peer.peerKey, work, leaf, merkleProof(hashes, index), BODY] as const
    // What is paid follows the price of gas, which an estimate does not know.
    const call = { ...this.#challenges, functionName: 'showLeaf', args, account: peer.account } as const
    await this.#mined(this.client.writeContract({ ...call, gas: 1_000_000n }))
  }

  async closeDemand({ peer, round }: CommittedLeaves, index: number): Promise<void> {
    const args = [BigInt(round), peer.peerKey, index] as const
    await this.#mined(this.client.writeContract({ ...this.#challenges, functionName: 'closeDemand', args }))
  }

  /** Appeals a settled score, from the administrator's account. */
  async appeal(peer: TestPeer, round: number): Promise<void> {
    const call = { ...this.#challenges, functionName: 'appeal', args: [BigInt(round), peer.peerKey] } as const
    await this.#mined(this.client.writeContract({ ...call, value: 10n ** 16n }))
  }

  /** Commits to a seat's verdict on an appeal. @returns what reveals it. */
  async commitVerdict(seat: TestPeer, peer: TestPeer, round: number, scoreMilli: number): Promise<() => Promise<void>> {
    const place = [BigInt(round), peer.peerKey] as const
    const bench = await this.client.readContract({ ...this.#challenges, functionName: 'benchOf', args: place })
    const position = bench.indexOf(seat.peerKey)
    const key = { peerKey: peer.peerKey, round, level: 1, position, seatKey: seat.peerKey }
    const challenges = this.#contracts.Challenges
    const commitment = appealCommitment({ chainId: foundry.id, challenges }, key, scoreMilli, SALT)
    const args = [...place, position, seat.peerKey, commitment] as const
    const { account } = seat
    await this.#mined(this.client.writeContract({ ...this.#challenges, functionName: 'commitVerdict', args, account }))
    const opening = [...place, position, scoreMilli, SALT] as const
    return () =>
      this.#mined(this.client.writeContract({ ...this.#challenges, functionName: 'revealVerdict', args: opening }))
  }

  async closeAppeal(peer: TestPeer, round: number): Promise<void> {
    const args = [BigInt(round), peer.peerKey] as const
    await this.#mined(this.client.writeContract({ ...this.#challenges, functionName: 'closeAppeal', args }))
    const judged = [...args, 1, [0, 1, 2]] as const
    await this.#mined(this.client.writeContract({ ...this.#challenges, functionName: 'judgeSeats', args: judged }))
  }

  get #challenges() {
    return { address: this.#contracts.Challenges, abi: challengesAbi } as const
  }

  currentRound(): Promise<number> {
    const rounds = { address: this.#contracts.Rounds, abi: roundsAbi } as const
    return this.client.readContract({ ...rounds, functionName: 'currentRound' }).then(Number)
  }

  async commitVotes(round: number, vote: Ballot): Promise<void> {
    const contract = { address: this.#contracts.RewardVotes, abi: rewardVotesAbi } as const
    const ballot = await this.#ballotOf(round, vote)
    const commitment = voteCommitment({ chainId: foundry.id, rewardVotes: contract.address }, ballot, SALT)
    const { shard, position, evaluatorKey } = ballot
    const args = [BigInt(round), shard, position, evaluatorKey, commitment] as const
    const { account } = vote.evaluator
    await this.#mined(this.client.writeContract({ ...contract, account, functionName: 'commitVotes', args }))
  }

  async revealVotes(round: number, vote: Ballot): Promise<void> {
    const contract = { address: this.#contracts.RewardVotes, abi: rewardVotesAbi } as const
    const args = [await this.#ballotOf(round, vote), SALT] as const
    await this.#mined(this.client.writeContract({ ...contract, functionName: 'revealVotes', args }))
  }

  /** The votes as the contract takes them: in the order in which the peers committed. */
  async #ballotOf(round: number, { evaluator, scores }: Ballot) {
    const votes = { address: this.#contracts.RewardVotes, abi: rewardVotesAbi } as const
    const work = { address: this.#contracts.RolloutCommitments, abi: rolloutCommitmentsAbi } as const
    const committee = await this.client.readContract({
      ...votes,
      functionName: 'committeeOf',
      args: [BigInt(round), 0],
    })
    const keys = scores.map(({ peer }) => peer.peerKey)
    const ordinals = await this.client.readContract({
      ...work,
      functionName: 'ordinalsOf',
      args: [BigInt(round), keys],
    })
    const inOrder = scores
      .map((score, index) => ({ ...score, ordinal: ordinals[index] ?? 0 }))
      .sort((a, b) => a.ordinal - b.ordinal)
    return {
      round: BigInt(round),
      shard: 0,
      position: committee.indexOf(evaluator.peerKey),
      evaluatorKey: evaluator.peerKey,
      scoresMilli: inOrder.map(({ scoreMilli }) => scoreMilli),
      componentRoots: inOrder.map(({ peer }) => digest(`components of ${peer.peerId}`)),
      contentId: digest('score sheet'),
    }
  }

  async settle(round: number, peers: TestPeer[]): Promise<void> {
    const contract = { address: this.#contracts.RewardVotes, abi: rewardVotesAbi } as const
    const args = [BigInt(round), 0, peers.map(({ peerKey }) => peerKey)] as const
    await this.#mined(this.client.writeContract({ ...contract, functionName: 'settle', args }))
  }

  /** Mints what a peer has earned, and says how much it has by now, in wei. */
  async claim(peer: TestPeer): Promise<bigint> {
    const contract = { address: this.#contracts.Nectar, abi: nectarAbi, args: [peer.peerKey] } as const
    await this.#mined(this.client.writeContract({ ...contract, functionName: 'claim' }))
    return this.client.readContract({ ...contract, functionName: 'claimedOf' })
  }

  /** Undoes the last blocks and puts empty ones in their place. */
  async reorganise(depth: number): Promise<void> {
    await this.client.request({ method: 'anvil_reorg', params: [depth, []] } as never)
  }

  async #mined(sent: Promise<Hex>): Promise<void> {
    const receipt = await this.client.waitForTransactionReceipt({ hash: await sent })
    if (receipt.status !== 'success') throw new Error(`reverted: ${receipt.transactionHash}`)
  }
}

function artifactPath(name: string): string {
  return join(root, `artifacts/contracts/src/${name}.sol/${name}.json`)
}

export function digest(text: string): Hex {
  return keccak256(`0x${Buffer.from(text).toString('hex')}`)
}

/** Waits for something that other processes bring about, asking again until it holds. */
export async function until(holds: () => Promise<boolean>, timeoutMs = 120_000): Promise<void> {
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
