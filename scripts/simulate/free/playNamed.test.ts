import { expect, test } from 'vitest'
import { namedAttacks } from './named.ts'
import { pays, playNamed } from './playNamed.ts'

test('every attack on the first version pays in the fast model without its defence, and does not with it', async () => {
  const rows = await playNamed(24)
  expect(rows.length).toBeGreaterThan(namedAttacks.length)
  for (const { name, defended, undefended } of rows) {
    expect(pays(undefended), `${name} without its defence: ${undefended.mean}`).toBe(true)
    expect(pays(defended), `${name}: ${defended.mean}`).toBe(false)
  }
})
