import { type Address, type EncodeFunctionDataParameters, type Hex, keccak256, toHex } from 'viem'
import { appealCommitment } from '../../node/src/chain/challenges/appealCommitment.ts'
import { voteCommitment } from '../../node/src/chain/votes/votes.ts'
import { contentId } from '../../node/src/core/contentId.ts'
import { merkleProof, merkleRoot } from '../../node/src/core/merkle.ts'
import { leafHash } from '../../node/src/core/payloads/leaf.ts'
import { type Member, OWED, openSwarm, POLICY, SPECIFICATION } from '../simulate/votes/openSwarm.ts'

/** Gas of disputes. Seats are staked, so that overturned ones are slashed. */
export interface DisputeGas {
  readonly demand: number
  /** Gas of showing a leaf of `LEAF_BYTES`. */
  readonly show: number
  /** Gas of a demand without an answer. */
  readonly closeDemand: number
  /** A first jury of 11, which overturns a committee of 5, and a second of 23 over another score, which finds the same as its first. */
  readonly first: CaseGas
  readonly second: CaseGas
}

interface CaseGas {
  readonly appeal: number
  /** One seat's, sealed and opened. */
  readonly verdict: number
  readonly verdicts: number
  readonly close: number
  /** Pay or blame of all seats of all its juries. */
  readonly judge: number
}

export const LEAF_BYTES = 2_048
/** More than a second jury. */
const SEATS = 25
const ROUND = 1
const WRONG = 300
const RIGHT = 800
const SALT = keccak256('0x5a17')

/** Plays one round with two appealed scores, a demand that is answered and one that is not, on Hardhat's own chain. */
export async function measureDisputeGas(): Promise<DisputeGas> {
  const scene = await openScene()
  const { swarm, admin, peers, used, challenge } = scene
  const [once, twice, shows, withholds] = peers as [Member, Member, Member, Member]
  const { chainId, votes } = swarm
  for (let round = 0; round <= ROUND; round++) await swarm.enter(round)
  for (const peer of peers) await swarm.commit(peer, ROUND, workOf(chainId, peer).root, OWED)

  await swarm.enter(ROUND + 1)
  const ballots = await commitBallots(scene)
  const [shown, withheld] = [await demandLeaf(scene, shows), await demandLeaf(scene, withholds)]

  await swarm.enter(ROUND + 2)
  for (const ballot of ballots) await used(admin, { abi: votes.abi, functionName: 'revealVotes', args: [ballot, SALT] })
  const { work, leaves, hashes, body } = workOf(chainId, shows)
  const proof = merkleProof(hashes, shown.index)
  const showing = [BigInt(ROUND), shows.key, work, leaves[shown.index], proof, toHex(body)]
  const show = await challenge(shows.account, 'showLeaf', showing)

  await swarm.enter(ROUND + 3)
  const settled = { abi: votes.abi, functionName: 'settle', args: [BigInt(ROUND), 0, peers.map(({ key }) => key)] }
  await used(admin, settled as EncodeFunctionDataParameters)
  const closeDemand = await challenge(admin, 'closeDemand', [BigInt(ROUND), withholds.key, withheld.index])

  const first = await judgeAppeals(scene, [once, twice], 1)
  const again = await judgeAppeals(scene, [twice], 2)
  const [eleven, more] = [first(once), again(twice)]
  return {
    ...{ demand: shown.gas, show, closeDemand },
    first: caseOf([eleven], await closeAppeal(scene, once, [eleven.jury])),
    second: caseOf([first(twice), more], await closeAppeal(scene, twice, [first(twice).jury, more.jury])),
  }
}

type Scene = Awaited<ReturnType<typeof openScene>>

/** Four peers with a score or a leaf in dispute, and staked evaluators; calls return the gas that they used. */
async function openScene() {
  const swarm = await openSwarm('built')
  const { accounts, votes, challenges } = swarm
  const [admin, ...others] = accounts as [Address, ...Address[]]
  const seats: Member[] = []
  for (let seat = 0; seat < SEATS; seat++) seats.push(await swarm.enrol(`seat ${seat}`, others[seat] as Address))
  const peers: Member[] = []
  for (const name of ['once', 'twice', 'shows', 'withholds']) peers.push(await swarm.enrol(name, admin))
  for (const seat of seats) await swarm.stake('evaluator', seat)
  const accountOf = (key: Hex) => seats.find(seat => seat.key === key)?.account as Address

  async function used(from: Address, call: EncodeFunctionDataParameters, valueWei = 0n): Promise<number> {
    const to = call.abi === votes.abi ? votes.address : challenges.address
    const hash = (await swarm.send(from, to, call, { valueWei })) as Hex
    const { gasUsed, status } = await swarm.client.getTransactionReceipt({ hash })
    if (status !== 'success') throw new Error(`${call.functionName} was refused`)
    return Number(gasUsed)
  }
  const challenge = (from: Address, functionName: string, args: readonly unknown[], valueWei?: bigint) =>
    used(from, { abi: challenges.abi, functionName, args } as unknown as EncodeFunctionDataParameters, valueWei)
  return { swarm, admin, others, peers, accountOf, used, challenge }
}

/** The committee commits to the same wrong score for every peer. */
async function commitBallots({ swarm, peers, accountOf, used }: Scene) {
  const { chainId, votes } = swarm
  const at = { chainId, rewardVotes: votes.address }
  const ballots = (await votes.read.committeeOf([BigInt(ROUND), 0])).map((evaluatorKey, position) => ({
    ...{ round: BigInt(ROUND), shard: 0, position, evaluatorKey, contentId: POLICY },
    ...{ scoresMilli: peers.map(() => WRONG), componentRoots: peers.map(() => POLICY) },
  }))
  for (const ballot of ballots) {
    const { round, shard, position, evaluatorKey } = ballot
    const args = [round, shard, position, evaluatorKey, voteCommitment(at, ballot, SALT)] as const
    await used(accountOf(evaluatorKey), { abi: votes.abi, functionName: 'commitVotes', args })
  }
  return ballots
}

async function demandLeaf({ swarm, admin, challenge }: Scene, peer: Member) {
  const bondWei = await swarm.challenges.read.minDemandBond()
  const [index] = await swarm.commitments.read.sampledLeaves([BigInt(ROUND), peer.key, OWED, 1])
  const { work } = workOf(swarm.chainId, peer)
  const gas = await challenge(admin, 'demandLeaf', [BigInt(ROUND), peer.key, work, sampleAt(0)], bondWei)
  return { gas, index: index as number }
}

/** The appeals of scores at a level, and what all seats of their juries spend on their verdicts. */
async function judgeAppeals(
  { swarm, admin, others, accountOf, challenge }: Scene,
  appealed: readonly Member[],
  level: 1 | 2,
) {
  const { chainId, challenges } = swarm
  const opened = ROUND + 3 * level
  const gas = new Map(appealed.map(({ key }) => [key, { appeal: 0, verdicts: 0, jury: 0 }]))
  const of = ({ key }: Member) => gas.get(key) as { appeal: number; verdicts: number; jury: number }
  const appellant = others.at(-level) as Address
  const appealWei = await challenges.read.appealBond([level])
  for (const peer of appealed)
    of(peer).appeal = await challenge(appellant, 'appeal', [BigInt(ROUND), peer.key], appealWei)
  await swarm.enter(opened + 1)
  for (const peer of appealed)
    for (const [position, seatKey] of (await challenges.read.juryOf([BigInt(ROUND), peer.key])).entries()) {
      const place = { round: ROUND, peerKey: peer.key, level, position, seatKey }
      const sealed = appealCommitment({ chainId, challenges: challenges.address }, place, RIGHT, SALT)
      const args = [BigInt(ROUND), peer.key, position, seatKey, sealed]
      of(peer).verdicts += await challenge(accountOf(seatKey), 'commitVerdict', args)
      of(peer).jury += 1
    }
  await swarm.enter(opened + 2)
  for (const peer of appealed)
    for (let position = 0; position < of(peer).jury; position++)
      of(peer).verdicts += await challenge(admin, 'revealVerdict', [BigInt(ROUND), peer.key, position, RIGHT, SALT])
  await swarm.enter(opened + 3)
  return of
}

async function closeAppeal({ admin, challenge }: Scene, { key }: Member, juries: readonly number[]) {
  const closed = await challenge(admin, 'closeAppeal', [BigInt(ROUND), key])
  let judged = 0
  for (const [at, jury] of juries.entries()) {
    const positions = Array.from({ length: jury }, (_, position) => position)
    judged += await challenge(admin, 'judgeSeats', [BigInt(ROUND), key, at + 1, positions])
  }
  return { close: closed, judge: judged }
}

function caseOf(
  levels: readonly { appeal: number; verdicts: number; jury: number }[],
  closed: Pick<CaseGas, 'close' | 'judge'>,
) {
  const sum = (of: (level: (typeof levels)[number]) => number) => levels.reduce((total, level) => total + of(level), 0)
  const verdicts = sum(level => level.verdicts)
  return {
    appeal: sum(level => level.appeal),
    verdicts,
    verdict: Math.round(verdicts / sum(level => level.jury)),
    ...closed,
  }
}

/** Gas that a case costs all its parties together. */
export function wholeCase({ appeal, verdicts, close, judge }: CaseGas): number {
  return appeal + verdicts + close + judge
}

/** A commitment to all leaves that are owed, each of which has the same body. */
function workOf(chainId: number, { key: peerKey }: Member) {
  const body = new Uint8Array(LEAF_BYTES).map((_, at) => at % 251)
  const leaves = Array.from({ length: OWED }, (_, index) => ({
    ...{ index, taskHash: POLICY, policyHash: POLICY, seed: POLICY, bodyHash: contentId(body) as Hex },
  }))
  const hashes = leaves.map(leaf => leafHash({ chainId, round: ROUND, peerKey, ...leaf }))
  const root = merkleRoot(hashes)
  return { root, leaves, hashes, body, work: { root, leafCount: OWED, policyHash: POLICY, contentId: POLICY } }
}

/** Offsets at which the chain finds fields of the specification: CBOR's head of a short text is 0x60 and its length. */
function sampleAt(place: number) {
  const at = (name: string) =>
    Buffer.from(SPECIFICATION).indexOf(Buffer.from([0x60 + name.length, ...Buffer.from(name)]))
  return { specification: toHex(SPECIFICATION), owedAt: at('owedLeaves'), sampledAt: at('sampledLeaves'), place }
}
