import type { Hex } from 'viem'
import { randomStream } from '../../../node/model/src/base/random.ts'
import { makeBundle } from './bundles.ts'
import { beaconBefore, settleRound } from './endRound.ts'
import {
  type Commitment,
  DRIVING_COST,
  type Game,
  LEAF_COST,
  PAID_AFTER,
  type Play,
  type Players,
  ROUNDS,
  type Setting,
  type Work,
} from './game.ts'
import { type Member, OWED, type Swarm } from './openSwarm.ts'
import { closeShard, openAll } from './playOpenings.ts'
import { playVotes } from './playVotes.ts'

/** The attacker's earnings in a run, in Nectar a round: pay of its keys and seats, less the cost of work and slashed stakes. */
export async function playRun(
  swarm: Swarm,
  players: Players,
  setting: Setting,
  play: Play,
  seed: number,
  rounds = ROUNDS,
): Promise<number> {
  const random = randomStream('simulated votes', String(seed))
  const abilities = new Map(
    [...players.rivals, ...players.ownKeys].map(({ key }) => [key, 350 + 300 * random.uniform()]),
  )
  const game = { swarm, players, setting, play, seed, cost: 0, committed: new Map(), sealed: new Map() }
  await swarm.seed(seed)
  for (let now = 0; now < rounds + PAID_AFTER - 1; now++) {
    await swarm.enter(now)
    if (now < rounds) game.committed.set(now, await commitAll(game, now, abilities))
    await playVotes(game, now)
    const due = game.committed.get(now - 3)
    if (due !== undefined) await settleRound(swarm, now - 3, due)
    await openAll(game, now - 4)
    if (game.committed.has(now - 5)) await closeShard(swarm, now - 5)
  }
  await swarm.enter(rounds + PAID_AFTER - 1)
  const own = [...players.ownSeats, ...players.ownKeys].map(({ key }) => key)
  let earnedWei = 0n
  for (const key of new Set(own)) {
    earnedWei += (await swarm.votes.read.earnedOf([key])) + (await swarm.openings.read.earnedOf([key]))
  }
  let slashed = 0
  for (const { key } of players.ownSeats) slashed += Number(await swarm.slashedWei('evaluator', key)) / 1e18
  return (Number(earnedWei) / 1e18 - game.cost - slashed) / rounds
}

async function commitAll(game: Game, round: number, abilities: ReadonlyMap<Hex, number>): Promise<Commitment[]> {
  const { swarm, players, play, seed, setting } = game
  const beacon = await beaconBefore(swarm, round)
  const authorship = (author: Member) => {
    const abilityMilli = abilities.get(author.key) ?? 0
    return {
      chainId: swarm.chainId,
      round,
      beacon,
      author,
      abilityMilli,
      bindsLeaves: setting.bindsLeaves,
      run: String(seed),
    }
  }
  const isAlone = play.drivesAway?.(round) ?? false
  if (isAlone) game.cost += players.rivals.length * DRIVING_COST
  const rivals = isAlone ? [] : players.rivals
  const made: Commitment[] = rivals.map(peer => ({
    peer,
    isOwn: false,
    bundle: makeBundle(authorship(peer), OWED),
    abilityMilli: abilities.get(peer.key) ?? 0,
    worth: new Map(),
  }))
  for (const [at, peer] of players.ownKeys.entries()) {
    const make = (leafCount: number, tries?: number) => makeBundle(authorship(peer), leafCount, tries)
    const honest: Work = { bundle: make(OWED), answers: OWED }
    const work = play.work === undefined ? honest : play.work({ at, make, seen: made })
    if (work === null) continue
    game.cost += work.answers * LEAF_COST
    const { bundle, servedTo } = work
    made.push({
      peer,
      isOwn: true,
      bundle,
      abilityMilli: abilities.get(peer.key) ?? 0,
      worth: new Map(),
      ...(servedTo === undefined ? {} : { servedTo }),
    })
  }
  for (const { peer, bundle } of made) await swarm.commit(peer, round, bundle.root, bundle.leaves.length)
  return made
}
