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
  const [, bits] = /^type\(uint(\d+)\)\.max$/.exec(value) ?? []
  if (bits) return 2n ** BigInt(bits) - 1n
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
    NEVER_SEC: constantOf('Rounds.sol', 'NEVER'),
    EMISSION_WEI: constantOf('Earnings.sol', 'EMISSION_WEI'),
    PROPOSER_EMISSION_WEI: constantOf('TaskPay.sol', 'PROPOSER_EMISSION_WEI'),
    WEIGHT_WINDOW: constantOf('libraries/Weights.sol', 'WINDOW'),
    MAX_TASKS: constantOf('TaskProposals.sol', 'MAX_TASKS'),
    MAX_TASK_BYTES: constantOf('TaskProposals.sol', 'MAX_TASK_BYTES'),
    MAX_APPEALS: constantOf('challenges/AppealCases.sol', 'MAX_LEVELS'),
    EVALUATOR_STAKE_WEI: constantOf('Stakes.sol', 'EVALUATOR_STAKE_WEI'),
    OVERTURNED_MILLI: constantOf('EvaluatorSeats.sol', 'OVERTURNED_MILLI'),
    MAX_MISSES: constantOf('EvaluatorSeats.sol', 'MAX_MISSES'),
  }
  const {
    phase,
    LAST_READING,
    COMMITMENT_RING,
    FULL_WEIGHT,
    LEAST_BLOCKS_IN_ROUND,
    settlementOutcomes: _,
    seatFaults: __,
    ...known
  } = protocol
  assert.deepEqual(Object.fromEntries(Object.entries(known).map(([name, value]) => [name, BigInt(value)])), constants)
  assert.match(source('libraries/Ring.sol'), /\bconstant RING = FINALITY_ROUNDS \+ 3;/)
  assert.equal(COMMITMENT_RING, known.FINALITY_ROUNDS + 3)
  assert.match(source('libraries/Weights.sol'), /\b4 \* WINDOW \* /)
  assert.equal(FULL_WEIGHT, 4 * known.WEIGHT_WINDOW)
  assert.equal(phase.opening, known.FINALITY_ROUNDS + 1)
  // A second appeal is opened FINALITY_ROUNDS after the first, which is opened as many after the round.
  assert.equal(phase.settling, known.FINALITY_ROUNDS)
  assert.equal(LAST_READING, 2 * known.FINALITY_ROUNDS + phase.voting)
})

test('outcomes and faults off the chain have the numbers of the contracts', () => {
  const { settlementOutcomes, seatFaults } = protocol
  const numbers = [...source('libraries/Tally.sol').matchAll(/constant OUTCOME_(\w+) = (\d+);/g)]
  const words = { FALSE: 'false leaf' } as Record<string, string>
  const named = numbers.map(([, name = '', number]) => [
    Number(number),
    words[name] ?? name.toLowerCase().replace('_', ' '),
  ])
  assert.deepEqual([[0, 'none'], ...named], [...settlementOutcomes.entries()])
  const [, body = ''] = /enum Fault \{([^}]*)\}/.exec(source('interfaces/IRulings.sol')) ?? []
  assert.deepEqual(
    [...body.matchAll(/^\s*(\w+)/gm)].map(([, name = '']) => name.toLowerCase()),
    [...seatFaults],
  )
})
