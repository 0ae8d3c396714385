import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attackRow, findFaults } from '../../scripts/simulate/earnings.ts'
import { attacks as marketAttacks } from '../../scripts/simulate/market/attacks.ts'
import { votesAttacks } from '../../scripts/simulate/votes/attacks.ts'

const HONEST = [10, 12, 11, 9]
/** An attack's runs, so much above honest play, and a little apart from each other. */
const runs = (gain: number) => ({ honest: HONEST, attack: HONEST.map((one, at) => one + gain + 0.1 * at) })
const known = { name: 'theft', defence: 'a lock' }

test('the simulation fails where an attack pays that is not named as left open', () => {
  assert.deepEqual(findFaults([attackRow(known, 'Nectar', runs(-1), runs(5))]), [])
  assert.deepEqual(findFaults([attackRow(known, 'Nectar', runs(1), runs(5))]), ['theft earns more than honest play'])
  assert.deepEqual(findFaults([attackRow({ ...known, leftOpen: 'why' }, 'Nectar', runs(1), runs(5))]), [])
})

test('the simulation fails where an attack does not pay even without its defence, left open or not', () => {
  const fault = 'theft does not pay even without its defence: a lock'
  assert.deepEqual(findFaults([attackRow(known, 'Nectar', runs(-1), runs(-1))]), [fault])
  assert.deepEqual(findFaults([attackRow({ ...known, leftOpen: 'why' }, 'Nectar', runs(-1), runs(-0.15))]), [fault])
})

test('every attack is played against a copy without its defence', () => {
  const names = [...votesAttacks, ...marketAttacks].map(({ name }) => name)
  for (const name of [
    'copied votes',
    'copied claims',
    'lazy evaluator',
    'selective abstention',
    'colluding minority',
    'sybil peers',
    'seed grinding',
    'copied roots',
    'selective serving',
    'late whale',
    'clue front-running',
  ]) {
    assert(names.includes(name), name)
  }
  for (const { name, without } of votesAttacks) assert(Object.keys(without).length > 0, name)
  for (const { name, undefended } of marketAttacks) assert.notEqual(undefended, 'PredictionMarket', name)
})
