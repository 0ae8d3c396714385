import assert from 'node:assert/strict'
import { generateKeyPair } from '@libp2p/crypto/keys'
import { network } from 'hardhat'
import { type Address, bytesToHex, type Hex, keccak256, parseEther } from 'viem'
import { SHARD_PEERS } from '../../deployments/protocol.ts'
import { type RandomStream, randomStream } from '../../node/model/src/base/random.ts'
import { specifiedSample } from '../../node/src/chain/votes/samples.ts'
import { voteCommitment } from '../../node/src/chain/votes/votes.ts'
import { encodeCanonical } from '../../node/src/core/canonical.ts'
import { merkleTree, proofIn } from '../../node/src/core/merkle.ts'
import { leafHash } from '../../node/src/core/payloads/leaf.ts'
import { componentsHash, scoreTree } from '../../node/src/core/payloads/scoreSheet.ts'
import { encodeProposal, taskHash as taskHashOf } from '../../node/src/core/payloads/taskProposal.ts'
import { drawInputs } from '../../node/src/environments/codezero/curriculum/drawInputs.ts'
import { drawTrainingTask } from '../../node/src/environments/codezero/curriculum/drawTask.ts'
import { evaluate } from '../../node/src/environments/codezero/curriculum/evaluate.ts'
import { pythonRepr } from '../../node/src/environments/codezero/curriculum/pythonValue.ts'
import { callOf } from '../../node/src/environments/codezero/curriculum/strictTests.ts'
import { formatProposal, proposalLimits } from '../../node/src/environments/codezero/parseProposal.ts'
import { seededRandom } from '../../node/src/environments/seededRandom.ts'
import { drawnLeaf } from '../../node/src/roles/draws/drawOpening.ts'
import { deployContracts } from './deployContracts.ts'
import { proveRegistration, proveRsaRegistration } from './proveRegistration.ts'

const ROUND_SECONDS = 3_600
/** The first round that is played: keys count in it. */
const FIRST_ROUND = 1
/** Three times 12 rounds later: seats need no stakes in the rounds that are played. */
const BOOTSTRAP = FIRST_ROUND + 36
/** The contract's number of the duty. */
const PROPOSER = 1
/** Leaves that a solver owes and commits, and how many of them are scored, as in the starter. */
const SAMPLE = { owedLeaves: 64, sampledLeaves: 32 }
const SPECIFICATION = encodeCanonical(SAMPLE)
/** Tasks of a proposal. */
const TASKS = 24

type Step =
  | 'proposals'
  | 'commits'
  | 'beacon'
  | 'voteCommits'
  | 'reveals'
  | 'settlement'
  | 'openings'
  | 'closings'
  | 'taskClaims'

/** Gas of each step; the words of all but the market are drawn from a seed, so that a rerun pays for the same bytes. */
interface RoundGas {
  /** The last of each kind. */
  readonly commit: number
  readonly commitVotes: number
  readonly revealAPeer: number
  readonly settleAPeer: number
  /** The first seat's, which draws the leaf, and the last one's, of the leaf's score; and closing them all. */
  readonly openFirst: number
  readonly openComponent: number
  readonly closeOpenings: number
  /** One proposer's 24 tasks of the starter's highest level, with the next secret's hash; and the payment of a shard's task. */
  readonly propose: number
  readonly claimTask: number
  /** A peer's claim of its Nectar: whenever it likes, so that no round has to have one. */
  readonly claimNectar: number
  /** Every transaction of a kind, the dearer first ones too, over peers. */
  readonly aPeer: Readonly<Record<Step, number>>
  /** All of those together. */
  readonly allRolesAPeer: number
}

interface SwarmGas {
  readonly registerSecp256k1: number
  readonly registerRsa2048: number
  /** Once for an environment, by anyone. */
  readonly describe: number
  /** The first pass through the ring pays for fresh words. */
  readonly fresh: RoundGas
  /** Gas of every later round. */
  readonly inRing: RoundGas
  /** A proposer's calls for the first round that needs its stake, in the ring. */
  readonly afterBootstrap: { readonly stake: number; readonly commitSecret: number; readonly propose: number }
}

/**
 * Plays three rounds of a swarm on Hardhat's own chain, each in the place in the ring that the first had, and proposes for the one after bootstrap.
 *
 * @param size - solvers, of one account, and evaluators, of others.
 */
export async function measureGas(size: { solvers: number; evaluators: number }): Promise<SwarmGas> {
  const swarm = await openSwarm()
  const solvers: Hex[] = []
  let registerSecp256k1 = 0
  for (let i = 0; i < size.solvers; i++) {
    const enrolled = await swarm.enrol(swarm.admin)
    solvers.push(enrolled.key)
    registerSecp256k1 = enrolled.gas
  }
  const registerRsa2048 = await swarm.enrolRsa()
  const { specification, owedAt, sampledAt } = specifiedSample(SPECIFICATION)
  const describe = await swarm.used(swarm.openings.write.describe([specification, owedAt, sampledAt]))
  const evaluators = new Map<Hex, Address>()
  for (let i = 0; i < size.evaluators; i++) {
    const account = swarm.accounts[1 + (i % (swarm.accounts.length - 1))] as Address
    const { key } = await swarm.enrol(account)
    await swarm.votes.write.admitEvaluator([key])
    evaluators.set(key, account)
  }
  const first = FIRST_ROUND
  const fresh = await playRound(swarm, first, solvers, evaluators)
  await playRound(swarm, first + 12, solvers, evaluators)
  const inRing = await playRound(swarm, first + 24, solvers, evaluators)
  const afterBootstrap = await proposeStaked(swarm, solvers)
  return { registerSecp256k1, registerRsa2048, describe, fresh, inRing, afterBootstrap }
}

/** Stakes what the best solvers of a shard earned for the first of them, and proposes; its words of the ring exist since the second round. */
async function proposeStaked(swarm: Swarm, solvers: readonly Hex[]): Promise<SwarmGas['afterBootstrap']> {
  const { commitments, nectar, stakes, used, word } = swarm
  const [key] = solvers
  assert(key)
  for (const solver of solvers.slice(0, SHARD_PEERS).slice(-3)) await used(nectar.write.claim([solver]))
  await used(nectar.write.approve([stakes.address, parseEther('50')]))
  const stake = await used(stakes.write.stake([PROPOSER, key]))
  const round = BigInt(BOOTSTRAP)
  const secret = word()
  await swarm.reach(round - 2n)
  const commitSecret = await used(commitments.write.commitSecret([round, key, hashOf(secret)]))
  await swarm.reach(round - 1n)
  const args = [round, key, secret, TASKS, proposedTasks(BOOTSTRAP), hashOf(word())] as const
  return { stake, commitSecret, propose: await used(commitments.write.propose(args)) }
}

type Swarm = Awaited<ReturnType<typeof openSwarm>>
type Work = ReturnType<typeof makeWork>
type Evaluators = ReadonlyMap<Hex, Address>

async function playRound(
  swarm: Swarm,
  number: number,
  solvers: readonly Hex[],
  evaluators: Evaluators,
): Promise<RoundGas> {
  const { commitments, votes, openings, nectar, enter, used, word } = swarm
  const round = BigInt(number)
  // As many proposers as shards; each proposed in the round before, so that its words of the ring exist.
  const proposers = solvers.slice(0, Math.ceil(solvers.length / SHARD_PEERS))
  const tasks = proposedTasks(number)
  await swarm.reach(round - 2n)
  const [secret, next] = [word(), word()]
  for (const key of proposers) await used(commitments.write.commitSecret([round, key, hashOf(secret)]))
  await swarm.reach(round - 1n)
  const proposals: number[] = []
  for (const key of proposers)
    proposals.push(await used(commitments.write.propose([round, key, secret, TASKS, tasks, hashOf(next)])))
  // One task of the first proposer's, which all leaves answer.
  const [proposerKey] = proposers
  assert(proposerKey)
  const claimed = { proposerKey, taskIndex: 3 }
  const taskHash = taskHashOf({ peerKey: proposerKey, index: claimed.taskIndex })
  await enter(round)
  const commits: number[] = []
  const works = new Map<Hex, Work>()
  for (const key of solvers) {
    const work = makeWork(swarm, number, key, taskHash)
    works.set(key, work)
    const { root, leafCount, policyHash, contentId } = work
    commits.push(await used(commitments.write.commit([round, key, root, leafCount, policyHash, contentId, contentId])))
  }
  const beacon = [await enter(round + 1n)]
  // One account commits in the order of its peers, so that shards are its runs of 32.
  const shards = Array.from({ length: Math.ceil(solvers.length / SHARD_PEERS) }, (_, shard) =>
    solvers.slice(shard * SHARD_PEERS, (shard + 1) * SHARD_PEERS),
  )
  const sampled = new Map<Hex, readonly number[]>()
  for (const key of solvers) {
    const { owedLeaves, sampledLeaves } = SAMPLE
    sampled.set(key, await commitments.read.sampledLeaves([round, key, owedLeaves, sampledLeaves]))
  }
  const ballots = []
  const sealed = []
  for (const [shard, peers] of shards.entries()) {
    const committee = await votes.read.committeeOf([round, shard])
    const scoreSheet = { scoresMilli: peers.map((_, i) => i * 30), contentId: word() }
    for (const [position, evaluatorKey] of committee.entries()) {
      const scores = peers.map(key => makeScore(swarm, number, evaluatorKey, key, sampled.get(key) ?? []))
      const componentRoots = scores.map(({ root }) => root)
      const ballot = { ...scoreSheet, componentRoots, round, shard, position, evaluatorKey }
      ballots.push(ballot)
      sealed.push({ ballot, peers, scores })
    }
  }
  const voteCommits: number[] = []
  for (const ballot of ballots) {
    const { shard, position, evaluatorKey } = ballot
    const hash = voteCommitment({ chainId: swarm.chainId, rewardVotes: votes.address }, ballot, evaluatorKey)
    const account = evaluators.get(evaluatorKey) as Address
    voteCommits.push(await used(votes.write.commitVotes([round, shard, position, evaluatorKey, hash], { account })))
  }
  await enter(round + 2n)
  const reveals: number[] = []
  for (const ballot of ballots) reveals.push(await used(votes.write.revealVotes([ballot, ballot.evaluatorKey])))
  await enter(round + 3n)
  const settlement: number[] = []
  for (const [shard, peers] of shards.entries()) settlement.push(await used(votes.write.settle([round, shard, peers])))
  await enter(round + 4n)
  const opens: number[] = []
  const drawn: { peerKey: Hex; work: Omit<Work, 'leafAt'>; leaf: ReturnType<Work['leafAt']> }[] = []
  for (const { ballot, peers, scores } of sealed) {
    const [ordinal, place] = await openings.read.drawnOf([round, ballot.shard])
    const peerKey = peers[ordinal % SHARD_PEERS] as Hex
    const { leafAt, ...work } = works.get(peerKey) as Work
    const index = drawnLeaf(sampled.get(peerKey) ?? [], place, work.leafCount) ?? 0
    const leaf = leafAt(index)
    drawn[ballot.shard] = { peerKey, work, leaf }
    const { scoreAt } = scores[ordinal % SHARD_PEERS] as ReturnType<typeof makeScore>
    const opening = { ballot, salt: ballot.evaluatorKey, peerKey, work, ...leaf, ...scoreAt(index) }
    const account = evaluators.get(ballot.evaluatorKey) as Address
    opens.push(await used(openings.write.open([opening], { account })))
  }
  await enter(round + 5n)
  const closes: number[] = []
  for (const shard of shards.keys()) closes.push(await used(openings.write.close([round, shard])))
  const taskClaims: number[] = []
  for (const [shard, { peerKey, work, leaf }] of drawn.entries()) {
    const claim = { round, shard, peerKey, work, ...leaf, ...claimed }
    taskClaims.push(await used(openings.write.claimTask([claim])))
  }
  const claimNectar = await used(nectar.write.claim([solvers.at(-1) as Hex]))
  const answered = { openings: opens, closings: closes, taskClaims }
  const steps = { proposals, commits, beacon, voteCommits, reveals, settlement, ...answered }
  const sums = Object.entries(steps).map(([step, gas]) => [step, gas.reduce((sum, one) => sum + one, 0)] as const)
  const aPeer = (gas: number) => Math.round(gas / solvers.length)
  // The last ballot of a full shard, and its settlement.
  const full = Math.min(solvers.length, SHARD_PEERS)
  const lastOfFirstShard = ballots.filter(({ shard }) => shard === 0).length - 1
  return {
    commit: commits.at(-1) ?? 0,
    commitVotes: voteCommits.at(-1) ?? 0,
    revealAPeer: Math.round((reveals[lastOfFirstShard] ?? 0) / full),
    settleAPeer: Math.round((settlement[0] ?? 0) / full),
    openFirst: opens[0] ?? 0,
    openComponent: opens[lastOfFirstShard] ?? 0,
    closeOpenings: closes[0] ?? 0,
    propose: proposals[0] ?? 0,
    claimTask: taskClaims[0] ?? 0,
    claimNectar,
    aPeer: Object.fromEntries(sums.map(([step, gas]) => [step, aPeer(gas)])) as Record<Step, number>,
    allRolesAPeer: aPeer(sums.reduce((sum, [, gas]) => sum + gas, 0)),
  }
}

/** As a proposer of the starter's highest level sends them: problem and four tests each, other ones in each round. */
function proposedTasks(round: number): Hex {
  const random = seededRandom(`gas ${round}`)
  const texts = Array.from({ length: TASKS }, () => {
    const problem = drawTrainingTask(5, random)
    const tests = drawInputs(problem.meaning, random)
      .slice(0, proposalLimits.tests)
      .map(inputs => `assert ${callOf(problem, inputs)} == ${pythonRepr(evaluate(problem.meaning, inputs))}`)
    return formatProposal({ problem, tests })
  })
  return bytesToHex(encodeProposal({ level: 5, texts }))
}

const hashOf = (secret: Hex) => keccak256(secret)

/** A commitment to as many leaves as are owed, with the proof of each. */
function makeWork({ chainId, word }: Swarm, round: number, peerKey: Hex, taskHash: Hex) {
  const [policyHash, contentId, seed, bodyHash] = [word(), word(), word(), word()]
  const leaves = Array.from({ length: SAMPLE.owedLeaves }, (_, index) => ({
    ...{ index, taskHash, policyHash, seed, bodyHash },
  }))
  const tree = merkleTree(leaves.map(leaf => leafHash({ chainId, round, peerKey, ...leaf })))
  const leafAt = (index: number) => ({
    leaf: leaves[index] as (typeof leaves)[number],
    leafProof: proofIn(tree, index),
  })
  return { root: tree[0] as Hex, leafCount: leaves.length, policyHash, contentId, leafAt }
}

/** An evaluator's scores of the sampled leaves, under a root over all places. */
function makeScore({ chainId }: Swarm, round: number, evaluatorKey: Hex, peerKey: Hex, sampled: readonly number[]) {
  const scored = { components: { parses: 1000 }, scoreMilli: 500 }
  const leaves = sampled.toSorted((a, b) => a - b).map(index => ({ index, ...scored }))
  const scoreSheet = { v: 1 as const, chainId, round, evaluatorKey }
  const { root, proofOf } = scoreTree(scoreSheet, { peerKey, scoreMilli: 500, leaves }, SAMPLE.owedLeaves)
  const hash = componentsHash(scored.components)
  const scoreAt = (index: number) => {
    return { scoreMilli: scored.scoreMilli, componentsHash: hash, componentProof: proofOf(index) }
  }
  return { root, scoreAt }
}

/** The contracts on a fresh network, with a clock that can be moved and peers that can be enrolled. */
async function openSwarm() {
  const { viem, networkHelpers } = await network.create()
  const accounts = (await viem.getWalletClients()).map(wallet => wallet.account.address)
  // Peers register before the first round, and count from that.
  const startsAtSec = Number((await (await viem.getPublicClient()).getBlock()).timestamp) + ROUND_SECONDS
  const contracts = await deployContracts(viem, {
    startsAtSec,
    roundSeconds: ROUND_SECONDS,
    bootstrapRounds: BOOTSTRAP,
    environmentHash: keccak256(SPECIFICATION),
  })
  const { client, registry, rounds, chainId } = contracts
  const word = wordsOf(randomStream('gas', 'waggle'))

  const used = async (sent: Promise<Hex>) =>
    Number((await client.waitForTransactionReceipt({ hash: await sent })).gasUsed)

  const enrol = async (account: Address) => {
    const nonce = await registry.read.nonces([account])
    const proof = await proveRegistration(word(), chainId, registry.address, account, nonce)
    const gas = await used(registry.write.register(proof, { account }))
    const [key] = await registry.read.peersOf([account, nonce, 1n])
    assert(key)
    return { key, gas }
  }

  /** Registers a peer of a 2048-bit RSA key with the first account. */
  const enrolRsa = async () => {
    const key = await generateKeyPair('RSA', 2048)
    const nonce = await registry.read.nonces([contracts.admin])
    const proof = await proveRsaRegistration(key, chainId, registry.address, contracts.admin, nonce)
    return used(registry.write.registerRsa(proof))
  }

  const reach = async (round: bigint) => {
    if ((await rounds.read.firstOpenRound()) <= round) {
      await networkHelpers.time.increaseTo(await rounds.read.startOf([round]))
    }
  }

  /** Enters a round and draws the beacon of the one before. @returns its gas. */
  const enter = async (round: bigint) => {
    await reach(round)
    const fixed = await used(rounds.write.fixBeacon([round - 1n]))
    await networkHelpers.mine(1)
    return fixed + (await used(rounds.write.drawBeacon([round - 1n])))
  }
  return { ...contracts, accounts, word, used, enrol, enrolRsa, reach, enter }
}

function wordsOf(random: RandomStream): () => Hex {
  return () => bytesToHex(Uint8Array.from({ length: 32 }, () => random.integer(256)))
}
