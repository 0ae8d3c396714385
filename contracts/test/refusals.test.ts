import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Abi, type AbiFunction, type AbiParameter, decodeErrorResult, encodeFunctionData, type Hex } from 'viem'
import { openEverything } from './openEverything.ts'

/** Answer of `Prober` to a call that succeeded. */
const DONE = '0x01'
const LEAST_MET = 60
/** Choices of arguments that are all tried; of more, each extreme alone. */
const MOST_CHOICES = 64

/** Functions that answer some argument with an error that is not ours, and why. */
const EXCLUDED: Readonly<Record<string, string>> = {
  'RolloutCommitments.sampledLeaves': 'the draw of 2^32 leaves takes more gas than there is',
  'SwarmCoordinator.upgradeToAndCall': "OpenZeppelin's, which asks the new code, and an account without code has none",
}

test('no call ends in a panic or without a reason, whatever its arguments are', async () => {
  const { probe, known, contracts } = await openEverything()
  const errors = contracts.flatMap(({ abi }) => abi.filter(({ type }) => type === 'error'))
  const met = new Set<string>()
  for (const { name, abi, address } of contracts) {
    const functions = abi.filter(item => item.type === 'function').filter(item => !(`${name}.${item.name}` in EXCLUDED))
    const calls = functions.flatMap(item => argumentsOf(item, known).map(args => ({ item, args })))
    const answers = await probe(
      address,
      calls.map(({ item, args }) => encodeFunctionData({ abi: [item], functionName: item.name, args })),
    )
    for (const [i, answer] of answers.entries()) {
      const refusal = answer === DONE ? DONE : nameOf(answer, errors)
      const { item, args } = calls[i] as (typeof calls)[number]
      assert(
        refusal,
        `${name}.${item.name}(${args.map(show).join(', ')}) is refused with ${answer}, no error of its own`,
      )
      met.add(refusal)
    }
  }
  // That calls get beyond the first checks.
  assert(met.size >= LEAST_MET, `only ${met.size} errors were met: ${[...met].join(', ')}`)
})

/** The contracts' own error that some data is of, or null. */
function nameOf(data: Hex, errors: Abi): string | null {
  try {
    const { errorName } = decodeErrorResult({ abi: errors, data })
    return errorName === 'Panic' || errorName === 'Error' ? null : errorName
  } catch {
    return null
  }
}

/** A value that is known there, and the one at the end of the type. */
function extremesOf(parameter: AbiParameter, known: Known): readonly unknown[] {
  const { type, internalType = '' } = parameter
  const array = /^(.*)\[(\d*)\]$/.exec(type)
  if (array) {
    const one = extremesOf({ ...parameter, type: array[1] ?? '' }, known)
    return array[2] ? one.map(value => Array(Number(array[2])).fill(value)) : [[], ...one.map(value => [value])]
  }
  if (type === 'tuple') {
    const fields = (parameter as { components: readonly AbiParameter[] }).components
    return [0, -1].map(end => Object.fromEntries(fields.map(one => [one.name, extremesOf(one, known).at(end)])))
  }
  // Beyond its last value an enum does not decode, no more than calldata that ends too early.
  if (internalType.startsWith('enum ')) return [0, 1]
  const bits = Number(/\d+$/.exec(type)?.[0] ?? 256)
  if (type.startsWith('uint')) return [0n, 2n ** BigInt(bits) - 1n]
  if (type.startsWith('int')) return [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]
  if (type === 'bytes32') return [known.peerKey, `0x${'ff'.repeat(32)}`]
  if (type === 'bytes4') return ['0x00000000', '0xffffffff']
  if (type === 'bytes') return ['0x', `0x${'ff'.repeat(65)}`]
  if (type === 'address') return [known.account, `0x${'ff'.repeat(20)}`]
  if (type === 'string') return [known.peerId, '']
  if (type === 'bool') return [false, true]
  throw new Error(`no extremes of ${type}`)
}

type Known = { readonly peerKey: Hex; readonly peerId: string; readonly account: Hex }

/** Every choice of the extremes, or each alone where they are many. */
function argumentsOf({ inputs }: AbiFunction, known: Known): readonly (readonly unknown[])[] {
  const extremes = inputs.map(input => extremesOf(input, known))
  const all = extremes.reduce<unknown[][]>(
    (lists, values) => lists.flatMap(list => values.map(value => [...list, value])),
    [[]],
  )
  if (all.length <= MOST_CHOICES) return all
  return [0, -1].flatMap(end => {
    const list = extremes.map(values => values.at(end))
    return [list, ...extremes.map((values, at) => list.with(at, values.at(end === 0 ? -1 : 0)))]
  })
}

const show = (value: unknown) =>
  JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}` : inner)).slice(0, 100)
