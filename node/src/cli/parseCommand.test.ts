import { expect, test } from 'vitest'
import { parseCommand } from './parseCommand.ts'
import { verbs } from './verbs.ts'

test.each(Object.entries(verbs))('%s takes no empty value', async (name, { load }) => {
  const command = await load()
  const due = (command.positionals ?? []).map(() => 'x')
  for (const [option, { type }] of Object.entries(command.options)) {
    if (type !== 'string') continue
    for (const value of ['', ' '])
      expect(() => parseCommand(name, command, [...due, `--${option}`, value]), `--${option}`).toThrow(
        `The value of --${option} is empty.`,
      )
  }
  for (const [index, positional] of (command.positionals ?? []).entries())
    expect(() => parseCommand(name, command, due.with(index, ''))).toThrow(`The value of ${positional} is empty.`)
})

test('an unknown option is answered with the one that was probably meant', async () => {
  const command = await verbs.status?.load()
  if (command === undefined) throw new Error('no command')
  expect(() => parseCommand('status', command, ['--dta', 'x'])).toThrow(
    expect.objectContaining({ hint: 'Did you mean --data? See npx waggle status --help.' }),
  )
})

test('a negative number is refused as one, and not as an option', async () => {
  const command = await verbs.send?.load()
  if (command === undefined) throw new Error('no command')
  expect(() => parseCommand('send', command, [`0x${'12'.repeat(20)}`, '-5'])).toThrow('send takes no negative number.')
})
