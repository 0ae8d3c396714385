import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { generateKeyPair } from '@libp2p/crypto/keys'
import { network } from 'hardhat'
import { type Address, bytesToHex, type Hex } from 'viem'
import { voteCommitment } from '../../node/src/chain/voteCommitment.ts'
import { deployContracts } from './deployContracts.ts'
import { proveRegistration, proveRsaRegistration } from './proveRegistration.ts'

const SOLVERS = 32
const EVALUATORS = 5
const ROUND_SECONDS = 3_600

/** Most gas of each step once its words in the ring exist; contracts/README.md says what each takes. */
const BARS: Figures = {
  registerSecp256k1: 180_000,
  registerRsa2048: 300_000,
  commit: 50_000,
  commitVotes: 50_000,
  revealAPeer: 10_000,
  settleAPeer: 35_000,
}

type Figures = Record<
  'registerSecp256k1' | 'registerRsa2048' | 'commit' | 'commitVotes' | 'revealAPeer' | 'settleAPeer',
  number
>

const word = () => bytesToHex(randomBytes(32))

test('a round of 32 peers and a committee of 5 stays within the gas bars', async () => {
  const swarm = await openSwarm()
  const solvers: Hex[] = []
  let registerSecp256k1 = 0
  for (let i = 0; i < SOLVERS; i++) {
    const enrolled = await swarm.enrol(swarm.admin, BigInt(i))
    solvers.push(enrolled.key)
    registerSecp256k1 = enrolled.gas
  }
  const register = { registerSecp256k1, registerRsa2048: await swarm.enrolRsa(BigInt(SOLVERS)) }
  const evaluators: { key: Hex; account: Address }[] = []
  for (const account of swarm.accounts.slice(1, EVALUATORS + 1)) {
    const { key } = await swarm.enrol(account, 0n)
    await swarm.votes.write.admitEvaluator([key])
    evaluators.push({ key, account })
  }
  // The first pass through the ring pays for fresh words; the second is what every later round costs.
  const fresh = { ...(await playRound(swarm, 1n, solvers, evaluators)), ...register }
  await playRound(swarm, 7n, solvers, evaluators)
  const inRing = { ...(await playRound(swarm, 13n, solvers, evaluators)), ...register }
  console.log('gas, fresh words:', JSON.stringify(fresh), 'in the ring:', JSON.stringify(inRing))
  for (const step of Object.keys(BARS) as (keyof Figures)[]) {
    assert(inRing[step] <= BARS[step], `${step} takes ${inRing[step]} gas, the bar is ${BARS[step]}`)
  }
})

async function playRound(
  { commitments, votes, chainId, enter, used }: Awaited<ReturnType<typeof openSwarm>>,
  round: bigint,
  solvers: readonly Hex[],
  evaluators: readonly { key: Hex; account: Address }[],
): Promise<Omit<Figures, 'registerSecp256k1' | 'registerRsa2048'>> {
  await enter(round)
  let commit = 0
  for (const key of solvers) {
    commit = await used(commitments.write.commit([round, key, word(), 64, word(), word()]))
  }
  const scoresMilli = solvers.map((_, i) => i * 30)
  const sheet = { scoresMilli, componentRoots: solvers.map(word), contentId: word() }
  await enter(round + 1n)
  const committee = await votes.read.committeeOf([round, 0])
  const ballots = committee.map((evaluatorKey, position) => ({ ...sheet, round, shard: 0, position, evaluatorKey }))
  const accountOf = (key: Hex) => evaluators.find(one => one.key === key)?.account as Address
  let commitVotes = 0
  for (const ballot of ballots) {
    const { position, evaluatorKey } = ballot
    const hash = voteCommitment({ chainId, rewardVotes: votes.address }, ballot, evaluatorKey)
    const account = accountOf(evaluatorKey)
    commitVotes = await used(votes.write.commitVotes([round, 0, position, evaluatorKey, hash], { account }))
  }
  await enter(round + 2n)
  let reveal = 0
  for (const ballot of ballots) reveal = await used(votes.write.revealVotes([ballot, ballot.evaluatorKey]))
  await enter(round + 3n)
  const settle = await used(votes.write.settle([round, 0, solvers]))
  const aPeer = (gas: number) => Math.round(gas / solvers.length)
  return { commit, commitVotes, revealAPeer: aPeer(reveal), settleAPeer: aPeer(settle) }
}

/** The contracts on a fresh network, with a clock that can be moved and peers that can be enrolled. */
async function openSwarm() {
  const { viem, networkHelpers } = await network.create()
  const accounts = (await viem.getWalletClients()).map(wallet => wallet.account.address)
  const startsAtSec = Number((await (await viem.getPublicClient()).getBlock()).timestamp)
  const contracts = await deployContracts(viem, { startsAtSec, roundSeconds: ROUND_SECONDS })
  const { client, registry, rounds, chainId } = contracts

  const used = async (sent: Promise<Hex>) =>
    Number((await client.waitForTransactionReceipt({ hash: await sent })).gasUsed)

  const enrol = async (account: Address, nonce: bigint) => {
    const proof = await proveRegistration(word(), chainId, registry.address, account, nonce)
    const gas = await used(registry.write.register(proof, { account }))
    const [key] = await registry.read.peersOf([account, nonce, 1n])
    assert(key)
    return { key, gas }
  }

  /** Registers a peer of a 2048-bit RSA key with the first account. */
  const enrolRsa = async (nonce: bigint) => {
    const key = await generateKeyPair('RSA', 2048)
    const proof = await proveRsaRegistration(key, chainId, registry.address, contracts.admin, nonce)
    return used(registry.write.registerRsa(proof))
  }

  const enter = async (round: bigint) => {
    await networkHelpers.time.increaseTo(await rounds.read.startOf([round]))
    await rounds.write.fixBeacon([round - 1n])
    await networkHelpers.mine(1)
    await rounds.write.drawBeacon([round - 1n])
  }
  return { ...contracts, accounts, used, enrol, enrolRsa, enter }
}
