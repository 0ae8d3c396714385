import { expect, test } from 'vitest'
import { helpWidth, layOutHelp } from './layOutHelp.ts'

test('paragraphs, calls and rows are wrapped to the width, each with its indentation', () => {
  const parts = [
    { calls: 'npx waggle dance --partner NAME [--steps N] [OPTIONS]\nnpx waggle dance stop' },
    'Dances until\nthe music ends.\n\nSays how far.',
    '  eval "$(npx waggle dance bash)"; alias dance',
    { title: 'Steps', rows: [{ name: '--steps N', text: 'how many steps to take' }] },
    { rows: [{ name: '--partner NAME_OR_KEY', text: 'who dances' }] },
  ]
  expect(layOutHelp(parts, 34)).toBe(`npx waggle dance
    --partner NAME [--steps N]
    [OPTIONS]
npx waggle dance stop

Dances until the music ends.

Says how far.

  eval "$(npx waggle dance bash)"; alias dance

Steps:
  --steps N           how many
                      steps to
                      take

  --partner NAME_OR_KEY
                      who dances`)
})

test('--help is as wide as the terminal, within limits, and 80 where that is not known', () => {
  expect([40, 100, 300, 0, undefined].map(columns => helpWidth(columns))).toEqual([60, 100, 132, 80, 80])
})
