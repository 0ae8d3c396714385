import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { evaluate } from './evaluate.ts'
import { type PythonValue, pythonRepr } from './pythonValue.ts'
import type { Meaning } from './task.ts'

/**
 * The function itself, as its values on a fixed battery of inputs.
 *
 * By values and not by structure, so that 'greater than 4' and 'at least 5', or 'each doubled' and 'then multiply
 * by 2' over a sum, have one key: what is held out can't come back under another wording.
 */
export function semanticKey(meaning: Meaning): string {
  return `${meaning.kind}:${probeValues(meaning).join(';')}`
}

/** Ten percent of all functions, by hash, are never trained on: not as corpus, proposals or taken groups. */
export function isHeldOut(meaning: Meaning): boolean {
  return remembered(meaning).heldOut
}

/** True for a function that returns the same value for every input: it teaches nothing, so it is never drawn. */
export function isConstant(meaning: Meaning): boolean {
  return remembered(meaning).constant
}

type Facts = { heldOut: boolean; constant: boolean }
const facts = new Map<string, Facts>()
const FACTS_LIMIT = 200_000

function remembered(meaning: Meaning): Facts {
  const structure = JSON.stringify(meaning)
  const known = facts.get(structure)
  if (known) return known
  const values = probeValues(meaning)
  const digest = sha256(utf8ToBytes(`${meaning.kind}:${values.join(';')}`))
  const found = {
    heldOut: new DataView(digest.buffer).getUint32(0) % 10 === 0,
    constant: values.every(value => value === values[0]),
  }
  if (facts.size >= FACTS_LIMIT) facts.clear()
  facts.set(structure, found)
  return found
}

function probeValues(meaning: Meaning): string[] {
  return probes[meaning.kind].map(args => pythonRepr(evaluate(meaning, args)))
}

const range = (low: number, high: number) => Array.from({ length: high - low + 1 }, (_, i) => BigInt(low + i))

// Uniform lists show condition and map for one number at a time, even behind a slice; mixed ones show order and aggregate.
const loopProbes: readonly bigint[][] = [
  [],
  ...range(-13, 28).map(x => [x, x, x, x, x, x]),
  range(-9, 15),
  range(-9, 15).reverse(),
  [7n, -3n, 12n, 0n, 5n, 18n, -8n, 2n],
  [10n, 1n, 9n, -4n, 24n, 3n],
]

const probes: Record<Meaning['kind'], readonly PythonValue[][]> = {
  arithmetic: [
    [3n, 5n],
    [-7n, 11n],
    [0n, 4n],
    [13n, -2n],
    [1n, 1n],
  ],
  string: ['', 'abcde', 'xyABeedcbaabc', 'abbcccddddeeeeeXYxy'].map(s => [s]),
  condition: range(-25, 28).map(n => [n]),
  loop: loopProbes.map(xs => [xs]),
}
