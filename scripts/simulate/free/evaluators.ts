import { SHARD_PEERS, UNAVAILABLE } from '../../../deployments/protocol.ts'
import type { LeafScore, PeerScore } from '../../../node/src/core/payloads/scoreSheet.ts'
import { drawnLeaf } from '../../../node/src/roles/draws/drawOpening.ts'
import type { Member } from './cast.ts'
import { type Answers, type Game, happens, spend, spendGas } from './game.ts'
import type { Drawn, Sealed } from './ledgers/ledger.ts'
import { isPresent, type Truth, truthOf } from './truth.ts'
import { ABSENT, abilityOf, NOISE_MILLI, SCORE_COST } from './world.ts'

/** Every committee of a round seals its ballots. */
export async function sealBallots(game: Game, round: number): Promise<void> {
  const works = game.works.get(round) ?? []
  const seats = await game.ledger.seatsAt(round)
  const made: Sealed[] = []
  game.ballots.set(round, made)
  for (let shard = 0; shard * SHARD_PEERS < works.length; shard++) {
    const committee = game.facts.committee(round, shard, seats).map(key => memberOf(game, key))
    const peers = works.slice(shard * SHARD_PEERS, (shard + 1) * SHARD_PEERS)
    const truths = await Promise.all(peers.map(work => truthOf(game, work)))
    const held = committee.filter(({ isOwn }) => isOwn).length
    const isPushing = game.strategy.pushes === 'always' || 2 * held > committee.length
    let isScored = false
    for (const [position, seat] of committee.entries()) {
      if (!comes(game, seat, round)) {
        // A seat that does not seal because it foresees an outage has scored as usual.
        if (seat.isOwn && foresees(game, round)) spend(game, seat, isScored ? 0 : peers.length * SCORE_COST)
        isScored ||= seat.isOwn
        continue
      }
      const look = (work: Answers, at: number) => honestScore(game, seat, work, truths[at] as Truth)
      // The coalition scores once for all its seats.
      const isPaying = !seat.isOwn || !isScored
      isScored ||= seat.isOwn
      const scores = peers.map((work, at) => {
        const isLooking = !seat.isOwn || !happens(game, game.strategy.lazy, work.peer, round, 2_000)
        const seen = isLooking ? look(work, at) : guess(game, work, truths[at] as Truth)
        // Work that is not served, or not what was committed, costs no scoring.
        const isRead = isLooking && seen.scoreMilli !== UNAVAILABLE && !work.isSwapped
        if (isRead && isPaying) spend(game, seat, SCORE_COST)
        return seat.isOwn && (isPushing || work.isHidden) ? pushed(game, work, seen) : seen
      })
      const ballot = { round, shard, position, seat, scores }
      spendGas(game, seat, 'commitVotes')
      if (await game.ledger.seal(ballot)) made.push(ballot)
    }
  }
}

export async function revealBallots(game: Game, round: number): Promise<void> {
  if (game.setting.outages.includes(round)) return
  for (const ballot of game.ballots.get(round) ?? []) {
    const { seat } = ballot
    if (seat.isOwn && happens(game, game.strategy.keepsSealed, seat, round, 3_000)) continue
    spendGas(game, seat, 'reveal')
    await game.ledger.reveal(ballot)
  }
}

/** Seats open the drawn leaf of each shard; the next round pays them. */
export async function openLeaves(game: Game, round: number): Promise<void> {
  for (const [shard, drawn] of game.drawn.get(round) ?? [])
    for (const ballot of game.ballots.get(round) ?? []) {
      const isKept = ballot.seat.isOwn && !game.strategy.opens
      if (ballot.shard !== shard || isKept || drawn.index === null) continue
      if (await game.ledger.open(ballot, drawn, drawn.index)) spendGas(game, ballot.seat, 'open')
    }
}

export async function closeOpenings(game: Game, round: number): Promise<void> {
  for (const [shard, drawn] of game.drawn.get(round) ?? []) await game.ledger.close(round, shard, drawn)
}

/** Draws what each shard opens: one of its peers that were just settled with points. */
export async function drawOpenings({ facts, works, ledger, drawn: kept }: Game, round: number): Promise<void> {
  const made = works.get(round) ?? []
  const outcomes = await Promise.all(made.map(({ peer }) => ledger.outcomeOf(round, peer.key)))
  const drawn = new Map<number, Drawn>()
  kept.set(round, drawn)
  for (let first = 0; first < made.length; first += SHARD_PEERS) {
    const scored = outcomes
      .slice(first, first + SHARD_PEERS)
      .flatMap((found, at) => ((found?.scoreMilli ?? 0) > 0 ? [at] : []))
    if (scored.length === 0) continue
    const shard = first / SHARD_PEERS
    const { at, place } = facts.opening(round, shard, new Set(scored))
    const work = made[first + at] as Answers
    const index = drawnLeaf(facts.sampled(round, work.peer.key), place, work.leaves.length)
    drawn.set(shard, { work, ordinal: first + at, index })
  }
}

export function memberOf({ cast }: Game, key: string): Member {
  return cast.seats.find(seat => seat.key === key) as Member
}

/** Whether a seat takes part in a round. */
export function comes(game: Game, seat: Member, round: number): boolean {
  if (!seat.isOwn) return isPresent(game, seat, round, ABSENT)
  return !foresees(game, round) && !happens(game, game.strategy.silent, seat, round, 4_000)
}

function foresees({ strategy, setting }: Game, round: number): boolean {
  return strategy.foreseesOutages && setting.outages.includes(round)
}

/** Scores of a seat that reads the answers: each leaf's worth with a little noise, or nothing if the peer does not serve it. */
export function honestScore(game: Game, seat: Member, work: Answers, truth: Truth, isVoting = true): PeerScore {
  if (!seat.isOwn && !work.serves(seat, isVoting)) return unavailable(work)
  return scoreOf(game, work, truth, (worth, index) => {
    const noise = game.facts.normal('noise', seat.number, work.round, work.peer.number * 100 + index)
    return worth === 0 ? 0 : worth + NOISE_MILLI * noise
  })
}

function guess(game: Game, work: Answers, truth: Truth): PeerScore {
  return scoreOf(game, work, truth, () => abilityOf(game.facts, work.peer))
}

function scoreOf(
  { facts }: Game,
  { round, peer }: Answers,
  { worth }: Truth,
  judge: (worth: number, index: number) => number,
): PeerScore {
  const leaves: LeafScore[] = [...worth].map(([index, milli]) => ({
    index,
    components: {},
    scoreMilli: clamp(judge(milli, index)),
  }))
  leaves.sort((a, b) => a.index - b.index)
  const sum = leaves.reduce((total, { scoreMilli }) => total + scoreMilli, 0)
  return { peerKey: peer.key, scoreMilli: Math.round(sum / facts.sampled(round, peer.key).length), leaves }
}

/** The coalition's vote on a peer that it scored. */
export function pushed({ strategy }: Game, work: Answers, seen: PeerScore): PeerScore {
  const { up, down, pushesLeaves, callsUnavailable } = strategy
  const isOwn = work.peer.isOwn
  if (callsUnavailable && !isOwn) return unavailable(work)
  if (seen.scoreMilli === UNAVAILABLE) return seen
  if (work.isHidden || work.isSwapped) return { ...seen, scoreMilli: 1000 }
  const move = (milli: number) => clamp(milli + (isOwn ? up : -down))
  const leaves = pushesLeaves ? seen.leaves.map(leaf => ({ ...leaf, scoreMilli: move(leaf.scoreMilli) })) : seen.leaves
  return { ...seen, scoreMilli: move(seen.scoreMilli), leaves }
}

function unavailable({ peer }: Answers): PeerScore {
  return { peerKey: peer.key, scoreMilli: UNAVAILABLE, leaves: [] }
}

function clamp(milli: number): number {
  return Math.round(Math.min(1000, Math.max(0, milli)))
}
