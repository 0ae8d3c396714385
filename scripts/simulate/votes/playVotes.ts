import { encodeAbiParameters, type Hex, keccak256, zeroHash } from 'viem'
import { UNAVAILABLE } from '../../../deployments/protocol.ts'
import { type RandomStream, randomStream } from '../../../node/model/src/base/random.ts'
import { type Ballot, voteCommitment } from '../../../node/src/chain/votes/votes.ts'
import { type LeafScore, type PeerScore, scoreTree } from '../../../node/src/core/payloads/scoreSheet.ts'
import { judgeAll } from './endRound.ts'
import { type Commitment, type Game, SCORE_COST, type Sealed } from './game.ts'
import { type Member, POLICY, randomHex, SAMPLED, type Swarm } from './openSwarm.ts'

/** Standard deviation of an honest score of one leaf around the true one; of the mean of four it is half of that. */
const NOISE_MILLI = 12

/** Most that solvers claim above their worth. */
const OVERCLAIM_MILLI = 300

/** Share of rounds that an honest seat misses. */
const ABSENT = 0.02

/** Opens what was sealed a round ago, then seals the votes on the round before. */
export async function playVotes(game: Game, now: number): Promise<void> {
  for (const sealed of game.sealed.get(now - 2) ?? []) await open(game.swarm, sealed)
  const peers = game.committed.get(now - 1)
  if (peers === undefined) return
  await judgeAll(game, now - 1)
  game.sealed.set(now - 1, await sealAll(game, now - 1, peers))
}

async function sealAll(game: Game, round: number, peers: readonly Commitment[]): Promise<Sealed[]> {
  const { swarm, players, play, seed } = game
  const random = randomStream('simulated seats', `${seed} ${round}`)
  const committee = await swarm.votes.read.committeeOf([BigInt(round), 0])
  const done: Sealed[] = []
  const honest: Sealed[] = []
  for (const [at, voter] of players.honestSeats.entries()) {
    const position = committee.indexOf(voter.key)
    const isAbsent = random.uniform() < ABSENT
    const scores = peers.map(peer => withheldFrom(at, peer, measure(random, peer)))
    if (position < 0 || isAbsent) continue
    const ballot = ballotOf(game, { round, position, peers }, voter, scores)
    honest.push(await seal(game, { voter, ballot, salt: randomHex(random), scores }))
  }
  for (const [at, voter] of players.ownSeats.entries()) {
    const position = committee.indexOf(voter.key)
    const own = randomStream('simulated own seats', `${seed} ${round} ${at}`)
    if (position < 0) continue
    const copied = play.copiesBallots ? honest[0] : undefined
    if (copied !== undefined) {
      await seal(game, copied, { voter, position })
      const ballot = { ...copied.ballot, evaluatorKey: voter.key, position }
      done.push({ ...copied, voter, ballot })
      continue
    }
    const scores = vote(game, round, peers, own)
    if (scores === null) continue
    const ballot = ballotOf(game, { round, position, peers }, voter, scores)
    done.push(await seal(game, { voter, ballot, salt: randomHex(own), scores }))
  }
  return [...honest, ...done]
}

function vote(game: Game, round: number, peers: readonly Commitment[], random: RandomStream) {
  const { play, setting } = game
  const score = (peer: Commitment) => {
    game.cost += SCORE_COST
    return measure(random, peer)
  }
  if (play.vote === undefined) return peers.map(score)
  const claimOf = (peer: Commitment) => {
    const over = setting.claimsAreTrue ? 0 : OVERCLAIM_MILLI * random.uniform()
    return scoreOf(peer, worthMilli => worthMilli + over)
  }
  return play.vote({ round, peers, score, claimOf })
}

function measure(random: RandomStream, peer: Commitment): PeerScore {
  // As many draws for every peer, so that two ways to play meet the same seats.
  const noise = Array.from({ length: SAMPLED }, () => NOISE_MILLI * random.normal())
  return scoreOf(peer, worthMilli => worthMilli + (noise.pop() ?? 0))
}

/** Scores the available sampled leaves; a missing one counts 0 in the vote. */
export function scoreOf({ peer, worth }: Commitment, judge: (worthMilli: number) => number): PeerScore {
  const leaves: LeafScore[] = [...worth].map(([index, worthMilli]) => ({
    index,
    components: {},
    scoreMilli: Math.round(Math.min(1000, Math.max(0, judge(worthMilli)))),
  }))
  leaves.sort((a, b) => a.index - b.index)
  const sum = leaves.reduce((total, { scoreMilli }) => total + scoreMilli, 0)
  return { peerKey: peer.key, scoreMilli: Math.round(sum / SAMPLED), leaves }
}

function withheldFrom(seat: number, { servedTo }: Commitment, score: PeerScore): PeerScore {
  return servedTo?.(seat) === false ? unavailable(score) : score
}

export function unavailable({ peerKey }: { peerKey: Hex }): PeerScore {
  return { peerKey, scoreMilli: UNAVAILABLE, leaves: [] }
}

function ballotOf(
  game: Game,
  { round, position, peers }: { round: number; position: number; peers: readonly Commitment[] },
  { key }: Member,
  scores: readonly PeerScore[],
): Ballot {
  const scoreSheet = scoreSheetOf(game, round, key)
  return {
    round: BigInt(round),
    shard: 0,
    position,
    evaluatorKey: key,
    scoresMilli: scores.map(({ scoreMilli }) => scoreMilli),
    componentRoots: scores.map((peer, at) => scoreTree(scoreSheet, peer, peers[at]?.bundle.leaves.length ?? 0).root),
    contentId: POLICY,
  }
}

/** The head of a score sheet, to which its scores are bound; it names nobody if ballots are not bound either. */
export function scoreSheetOf({ swarm, setting }: Game, round: number, key: Hex) {
  return { v: 1 as const, chainId: swarm.chainId, round, evaluatorKey: setting.bindsBallots ? key : zeroHash }
}

/** Sends the commitment to a ballot: the voter's own, or a copy in another's name. */
async function seal(
  { swarm, setting }: Game,
  sealed: Sealed,
  copier?: { voter: Member; position: number },
): Promise<Sealed> {
  const { votes, chainId, send } = swarm
  const { voter, ballot, salt } = sealed
  const place = { chainId, rewardVotes: votes.address }
  const commitment = setting.bindsBallots ? voteCommitment(place, ballot, salt) : unboundCommitment(place, ballot, salt)
  const sender = copier?.voter ?? voter
  const args = [ballot.round, 0, copier?.position ?? ballot.position, sender.key, commitment] as const
  await send(sender.account, votes.address, { abi: votes.abi, functionName: 'commitVotes', args })
  return sealed
}

/** A refused ballot stays sealed. */
async function open({ votes, send }: Swarm, { voter, ballot, salt }: Sealed): Promise<void> {
  const call = send(voter.account, votes.address, { abi: votes.abi, functionName: 'revealVotes', args: [ballot, salt] })
  await call.catch(() => {})
}

/** Computed as in the copy of the contract without the defence: without position and evaluator. */
function unboundCommitment(place: { chainId: number; rewardVotes: Hex }, ballot: Ballot, salt: Hex): Hex {
  const { round, shard, scoresMilli, componentRoots, contentId } = ballot
  const values = [BigInt(place.chainId), place.rewardVotes, round, shard, scoresMilli, componentRoots, contentId, salt]
  return keccak256(encodeAbiParameters(unboundTypes, values as never))
}

const unboundTypes = [
  { type: 'uint256' },
  { type: 'address' },
  { type: 'uint64' },
  { type: 'uint32' },
  { type: 'uint16[]' },
  { type: 'bytes32[]' },
  { type: 'bytes32' },
  { type: 'bytes32' },
] as const
