import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Hex } from 'viem'
import { SHARD_PEERS } from '../../deployments/protocol.ts'
import { SETTING } from '../../scripts/simulate/free/defences.ts'
import type { Ledger, Verdict } from '../../scripts/simulate/free/ledgers/ledger.ts'
import { ModelLedger } from '../../scripts/simulate/free/ledgers/modelLedger.ts'
import { openChain } from '../../scripts/simulate/free/ledgers/openChain.ts'
import { playGame } from '../../scripts/simulate/free/playGame.ts'
import { describe, deviating, HONEST } from '../../scripts/simulate/free/strategy.ts'

/**
 * By seed, chosen so that every call of the game is made: false and withheld leaves, appeals of both levels, overturned seats, and a
 * score that is called unavailable and under appeal when the next round is weighed, one of nothing that a jury takes away, and one whose round
 * its peer gives up.
 */
const CHOSEN = new Map([
  [1, deviating({ served: 0, shows: false, keepsSealed: 1, proposes: 'none' })],
  [2, deviating({ cheatShare: 1, ownSeed: true, served: 0.5, silent: 0.5 })],
  [3, deviating({ groundKeys: 4, proposes: 'copied', junkKeys: 2 })],
  [4, deviating({ served: 0.75, shows: false })],
  [16, deviating({ up: 1000, pushes: 'majority', jury: 'pushed' })],
  [22, deviating({ up: 1000, down: 1000, jury: 'pushed', appealsOwn: 1, appealsTwice: true })],
  [5, deviating({ spareKeys: 2, hidesZeros: true })],
  [24, deviating({ spareKeys: 2, hidesZeros: true })],
  [47, deviating({ swappedKeys: 4, escapes: true })],
  [32, deviating({ callsUnavailable: true, pushes: 'majority', jury: 'silent' })],
])

/** Seed of a game in which attackers hold most seats of shards that open. */
const CHOOSING = 10_042

/** Loss of a seat that is overturned once. */
const HALF_A_STAKE = 50n * 10n ** 18n

/** A round after both of work are settled. */
const SETTLED = 7

/** Calls that have to be taken at least once. */
const TAKEN: readonly (keyof Ledger)[] = [
  ...(['commitSecret', 'propose', 'challengeSecret', 'commit', 'seal', 'reveal', 'open'] as const),
  ...([
    'challengeLeaf',
    'demand',
    'show',
    'closeDemand',
    'appeal',
    'sealVerdict',
    'revealVerdict',
    'closeCase',
  ] as const),
]

test('the fast model of free attackers earns, loses and pays what the contracts do, to the wei', async () => {
  const chain = await openChain('built')
  const taken = new Set<string>()
  for (const [seed, strategy] of CHOSEN) {
    const game = { strategy, setting: SETTING, rounds: 2 }
    const facts = chain.factsOf(seed)
    const ledger = await chain.begin(seed)
    const onChain = await playGame(watched(ledger, taken), facts, chain.cast, game)
    const model = new ModelLedger(facts, chain.cast, SETTING.defences)
    const onModel = await playGame(model, facts, chain.cast, game)
    assert.deepEqual(onModel, onChain, describe(strategy))
    assert.deepEqual(await model.seatsAt(SETTLED), await ledger.seatsAt(SETTLED), describe(strategy))
    for (const [name, wei] of onChain.wei) if (name.endsWith('lost') && wei >= HALF_A_STAKE) taken.add('overturned')
  }
  for (const call of [...TAKEN, 'second level', 'overturned', 'unavailable', 'taken away', 'given up'])
    assert(taken.has(call), `${call} was never met`)
})

test('seats that try to open other leaves than the drawn one, whose tasks are their own proposer’s, earn nothing more', async () => {
  const chain = await openChain('built')
  const game = { strategy: HONEST, setting: SETTING, rounds: 2 }
  const facts = chain.factsOf(CHOOSING)
  const refused: number[] = []
  const onChain = await playGame(choosing(await chain.begin(CHOOSING), refused), facts, chain.cast, game)
  const honest = await playGame(new ModelLedger(facts, chain.cast, SETTING.defences), facts, chain.cast, game)
  assert(refused.length > 0)
  assert.deepEqual(onChain, honest)
})

/** Lets the attackers' seats try all other leaves that they have scored before they open the drawn one. */
function choosing(ledger: Ledger, refused: number[]): Ledger {
  const open: Ledger['open'] = async (ballot, drawn, index) => {
    const scored = ballot.seat.isOwn ? (ballot.scores[drawn.ordinal % SHARD_PEERS]?.leaves ?? []) : []
    for (const other of scored) {
      if (other.index === index) continue
      assert.equal(await ledger.open(ballot, drawn, other.index), false)
      refused.push(other.index)
    }
    return ledger.open(ballot, drawn, index)
  }
  return new Proxy(ledger, {
    get(target, name: string) {
      const member = name === 'open' ? open : (target[name as keyof Ledger] as unknown)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

async function outcomeOf(ledger: Ledger, [round, peerKey]: unknown[]) {
  return (await ledger.outcomeOf(round as number, peerKey as Hex))?.outcome
}

/** Notes which calls a ledger takes. */
function watched(ledger: Ledger, taken: Set<string>): Ledger {
  return new Proxy(ledger, {
    get(target, name: string) {
      const member = target[name as keyof Ledger] as unknown
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        const before = name === 'closeCase' ? await outcomeOf(target, args) : undefined
        const answer = await member.apply(target, args)
        if (answer === true) taken.add(name)
        if (answer === true && before === 'false') taken.add('given up')
        if (before === 'scored' && (await outcomeOf(target, args)) === 'unavailable') taken.add('taken away')
        if (answer === true && name === 'appeal') taken.add((await outcomeOf(target, args)) ?? 'none')
        if (answer === true && name === 'revealVerdict' && (args[0] as Verdict).level === 2) taken.add('second level')
        return answer
      }
    },
  })
}
