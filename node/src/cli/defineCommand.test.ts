import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineCommand } from './defineCommand.ts'
import { layOutHelp } from './layOutHelp.ts'
import { peerOnChain } from './options/commonSettings.ts'
import { count, flag, jsonOption, numberOption } from './options/optionKinds.ts'
import { parseCommand } from './parseCommand.ts'

const seen: unknown[] = []
const dance = defineCommand({
  usage: 'npx waggle dance [OPTIONS]',
  about: 'Dances.',
  actions: [
    { name: 'waltz', text: 'in three' },
    { name: 'lead', arguments: 'NAME', text: 'name who leads' },
  ],
  own: {
    steps: count(1, 9).default(3).meta({ value: 'N', description: 'steps' }),
    round: numberOption('the round'),
    partner: z.string().meta({ value: 'NAME', description: 'who dances' }),
    slow: flag('half the speed'),
    ...jsonOption,
  },
  peer: peerOnChain,
  run: async (...given) => void seen.push(given),
})

const call = async (...argv: string[]) => {
  const { values, positionals } = parseCommand('dance', dance, argv)
  await dance.run(values, positionals)
  return seen.pop()
}

test("a command gets its own options checked, and the peer's as they were typed", async () => {
  const own = { partner: 'ann', steps: 3, slow: false, json: false }
  expect(await call('--partner', 'ann')).toEqual([own, [], {}])
  expect(await call('--partner', 'ann', '--steps', '4', '--json', '--data', 'x', '--rpc', 'here')).toEqual([
    { ...own, steps: 4, json: true },
    [],
    { data: 'x', rpc: 'here' },
  ])
})

test('--help lists the actions, its own options after them, and --json last', () => {
  const help = layOutHelp(dance.help)
  expect(help.split('\n').slice(0, 6)).toEqual([
    'npx waggle dance [OPTIONS]',
    '',
    'Dances.',
    '',
    '  waltz               in three',
    '  lead NAME           name who leads',
  ])
  const listed = [...help.matchAll(/^ {2}--(\S+)/gm)].map(([, name]) => name)
  expect(listed).toEqual(['steps', 'round', 'partner', 'slow', 'data', 'network', 'deployment', 'rpc', 'json'])
  expect(help).toContain('  --steps N           steps (default 3)')
})

test.each([
  [[], '--partner is required.'],
  [['--partner', 'ann', '--steps', '10'], "--steps must be at most 9, not '10'."],
  [['--partner', 'ann', '--round', 'two'], "--round must be a number, not 'two'."],
  [['--steps', '1.5'], "--steps must be a whole number, not '1.5'; --partner is required."],
])('%s is refused in words', async (argv, words) => {
  await expect(call(...argv)).rejects.toThrow(words)
})
