import { type AttackRow, attackRow } from '../earnings.ts'
import { type Cast, type VotesAttack, votesAttacks } from './attacks.ts'
import type { Play, Players, Setting } from './game.ts'
import { type Member, openSwarm, type Swarm } from './openSwarm.ts'
import { playRun } from './playRun.ts'

const DEFENDED: Setting = {
  rules: { checksSeeds: true, drawsFrom: 'owed' },
  bindsBallots: true,
  bindsLeaves: true,
  claimsAreTrue: false,
}

/** Plays every attack on the votes, and honest play for comparison, on the contracts as they are and on a copy without the defence. */
export async function simulateVotes(runs: number, wanted: (name: string) => boolean): Promise<AttackRow[]> {
  const rows: AttackRow[] = []
  for (const attack of votesAttacks.filter(({ name }) => wanted(name))) {
    const { without } = attack
    const setting = { ...DEFENDED, ...without.setting, rules: { ...DEFENDED.rules, ...without.rules } }
    const defended = await playBoth(await openSwarm([]), attack, DEFENDED, runs)
    const undefended = await playBoth(await openSwarm(without.patches ?? []), attack, setting, runs)
    rows.push(attackRow(attack, 'Nectar', defended, undefended))
  }
  return rows
}

async function playBoth(swarm: Swarm, { cast, rounds, attack, honest }: VotesAttack, setting: Setting, runs: number) {
  const players = await enrolPlayers(swarm, cast)
  const restore = await swarm.snapshot()
  const play = async (way: Play) => {
    const earned: number[] = []
    for (let seed = 0; seed < runs; seed++) {
      earned.push(await playRun(swarm, players, setting, way, seed, rounds))
      await restore()
    }
    return earned
  }
  return { attack: await play(attack), honest: await play(honest) }
}

async function enrolPlayers(
  swarm: Swarm,
  { honestSeats, ownSeats, rivals, ownKeys, oneAccount = false }: Cast,
): Promise<Players> {
  const accounts = [...swarm.accounts]
  const [own] = accounts
  const enrol = (name: string, count: number, isOwn: boolean): Promise<Member[]> =>
    oneByOne(count, at => {
      const account = oneAccount && isOwn ? own : accounts.pop()
      if (account === undefined) throw new Error('the chain has too few accounts')
      return swarm.enrol(`${name} ${at}`, account)
    })
  const players = {
    honestSeats: await enrol('honest seat', honestSeats, false),
    ownSeats: await enrol('own seat', ownSeats, true),
    rivals: await enrol('rival', rivals, false),
    ownKeys: await enrol('own key', ownKeys, true),
  }
  for (const seat of [...players.honestSeats, ...players.ownSeats]) await swarm.stake('evaluator', seat)
  return players
}

/** One after the other: an account's proofs count up. */
async function oneByOne<T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let at = 0; at < count; at++) made.push(await make(at))
  return made
}
