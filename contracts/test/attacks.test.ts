import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patchSources } from '../../scripts/simulate/compilePatched.ts'
import { votesAttacks } from '../../scripts/simulate/votes/attacks.ts'
import { playBuilt } from '../../scripts/simulate/votes/simulateVotes.ts'

/** Those that lose so much that two runs tell; `npm run simulate -- protocol` plays all of them, a hundred times. */
const PLAYED = ['copied votes', 'lazy evaluator', 'colluding minority', 'seed grinding', 'copied roots']
const RUNS = 2

const total = (earned: readonly number[]) => earned.reduce((sum, one) => sum + one, 0)

test('honest play earns more than attacks on the votes do', async () => {
  for (const name of PLAYED) {
    const played = votesAttacks.find(one => one.name === name)
    assert(played, name)
    const { attack, honest } = await playBuilt(played, RUNS)
    assert(total(honest) > total(attack), `${name} earned ${attack}, honest play ${honest}`)
  }
})

test('every defence that the simulation switches off is where it expects it', () => {
  for (const { without } of votesAttacks) patchSources(without.patches ?? [])
})
