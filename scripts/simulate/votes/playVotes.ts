import { encodeAbiParameters, type Hex, keccak256 } from 'viem'
import { type Ballot, voteCommitment } from '../../../node/src/chain/voteCommitment.ts'
import { type RandomStream, randomStream } from '../../../node/src/core/random.ts'
import { judgeAll } from './endRound.ts'
import { type Commitment, type Game, SCORE_COST, type Sealed, UNAVAILABLE } from './game.ts'
import { type Member, POLICY, randomHex, type Swarm } from './openSwarm.ts'

/** Standard deviation of an honest score around the true one, far inside the tolerance of 25. */
const NOISE_MILLI = 6

/** What solvers claim above what they are worth, at most. */
const OVERCLAIM_MILLI = 300

/** How often an honest seat misses a round. */
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
    const scores = peers.map(peer => (peer.servedTo?.(at) === false ? UNAVAILABLE : measure(random, peer)))
    if (position < 0 || isAbsent) continue
    honest.push(await seal(game, { voter, ballot: ballotOf(round, position, voter, scores), salt: randomHex(random) }))
  }
  for (const [at, voter] of players.ownSeats.entries()) {
    const position = committee.indexOf(voter.key)
    const own = randomStream('simulated own seats', `${seed} ${round} ${at}`)
    if (position < 0) continue
    const copied = play.copiesBallots ? honest[0] : undefined
    if (copied !== undefined) {
      await seal(game, copied, { voter, position })
      const ballot = { ...copied.ballot, evaluatorKey: voter.key, position }
      done.push({ voter, ballot, salt: copied.salt })
      continue
    }
    const scores = vote(game, round, peers, own)
    if (scores === null) continue
    done.push(await seal(game, { voter, ballot: ballotOf(round, position, voter, scores), salt: randomHex(own) }))
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
  const claimOf = ({ truthMilli }: Commitment) =>
    Math.round(Math.min(1000, truthMilli + (setting.claimsAreTrue ? 0 : OVERCLAIM_MILLI * random.uniform())))
  return play.vote({ round, peers, score, claimOf })
}

function measure(random: RandomStream, { truthMilli }: Commitment): number {
  return Math.round(Math.min(1000, Math.max(0, truthMilli + NOISE_MILLI * random.normal())))
}

function ballotOf(round: number, position: number, { key }: Member, scoresMilli: readonly number[]): Ballot {
  const componentRoots = scoresMilli.map(() => POLICY)
  return { round: BigInt(round), shard: 0, position, evaluatorKey: key, scoresMilli, componentRoots, contentId: POLICY }
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

/** As the copy of the contract without the defence computes it: position and evaluator are left out. */
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
