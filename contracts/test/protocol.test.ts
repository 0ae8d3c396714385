import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import * as protocol from '../../deployments/protocol.ts'

const source = (file: string) => readFileSync(path.join(import.meta.dirname, '../src', file), 'utf8')

/** The value that a Solidity file gives to a constant. */
function constantOf(file: string, name: string): bigint {
  const [, value] = new RegExp(String.raw`\bconstant ${name} = ([^;]+);`).exec(source(file)) ?? []
  assert.ok(value, `${file} has no constant ${name}`)
  if (value === 'type(uint16).max') return 65_535n
  const [, digits = '', unit] = /^([\d_]+)( ether)?$/.exec(value) ?? []
  assert.ok(digits, `${file}: ${name} = ${value} is not a number`)
  return BigInt(digits.replaceAll('_', '')) * (unit ? 10n ** 18n : 1n)
}

test('constants off the chain are those of the contracts', () => {
  const constants = {
    UNAVAILABLE: constantOf('libraries/Tally.sol', 'UNAVAILABLE'),
    MAX_SCORE_MILLI: constantOf('libraries/Tally.sol', 'MAX_SCORE'),
    TOLERANCE_MILLI: constantOf('Earnings.sol', 'TOLERANCE_MILLI'),
    COMMITTEE_SEATS: constantOf('libraries/Tally.sol', 'SEATS'),
    SHARD_PEERS: constantOf('libraries/Ring.sol', 'SHARD_PEERS'),
    OUTCOME_RING: constantOf('libraries/Ring.sol', 'OUTCOME_RING'),
    FINALITY_ROUNDS: constantOf('Rounds.sol', 'FINALITY_ROUNDS'),
    EMISSION_WEI: constantOf('Earnings.sol', 'EMISSION_WEI'),
  }
  const { phase, LAST_READING, ...known } = protocol
  assert.deepEqual(Object.fromEntries(Object.entries(known).map(([name, value]) => [name, BigInt(value)])), constants)
  assert.equal(phase.opening, known.FINALITY_ROUNDS + 1)
  // A second appeal is opened FINALITY_ROUNDS after the first, which is opened as many after the round.
  assert.equal(phase.settling, known.FINALITY_ROUNDS)
  assert.equal(LAST_READING, 2 * known.FINALITY_ROUNDS + phase.voting)
})
