import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { measureGas } from './measureGas.ts'

const SNAPSHOT = path.join(import.meta.dirname, '..', 'gas-snapshot.json')

/**
 * An RSA key is new in each run, and its bytes are paid for. A seat that the beacon draws for the position that it had six
 * rounds before writes the same key again, which costs 2,900 gas less.
 */
const toleranceOf = (name: string) => (/open(Component|First|ings)$/.test(name) ? 0.03 : 0.01)

test('a round of 32 peers and a committee of 5 costs what the committed snapshot says', async () => {
  const measured = await measureGas({ solvers: 32, evaluators: 5 })
  const known = readFileSync(SNAPSHOT, 'utf8')
  if (process.env.WAGGLE_GAS_SNAPSHOT === 'write') writeFileSync(SNAPSHOT, `${JSON.stringify(measured, null, 2)}\n`)
  for (const [name, gas] of Object.entries(flat(JSON.parse(known)))) {
    const now = flat(measured)[name] ?? 0
    const hint = 'if that is meant, run with WAGGLE_GAS_SNAPSHOT=write and commit contracts/gas-snapshot.json'
    assert(
      Math.abs(now - gas) <= gas * toleranceOf(name),
      `${name} takes ${now} gas, the snapshot says ${gas}: ${hint}`,
    )
  }
})

function flat(figures: object, under = ''): Record<string, number> {
  return Object.assign(
    {},
    ...Object.entries(figures).map(([name, value]) =>
      typeof value === 'number' ? { [under + name]: value } : flat(value as object, `${under}${name}.`),
    ),
  )
}
