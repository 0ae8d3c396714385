import { describe, expect, test } from 'vitest'
import { layOutHelp } from './layOutHelp.ts'
import { respell } from './oldSpellings.ts'
import { verbs } from './verbs.ts'

const commands = Object.entries(verbs)

/** The rule is in CONTRIBUTING.md, under "A command". */
describe('the grammar of commands', () => {
  test.each(commands)('%s is the only spelling of its word', name => {
    expect(commands.map(([other]) => other).filter(other => other !== name && other.startsWith(name))).toEqual([])
  })

  test.each(commands)('%s takes an action where it is a noun, and no other word says that', async (_, verb) => {
    const { actions, positionals = [], morePositionals = [] } = await verb.load()
    expect([...positionals, ...morePositionals].includes('ACTION')).toBe(actions !== undefined)
  })

  test('an action that a noun does not have is refused with those that it has', async () => {
    for (const [name, { load }] of commands) {
      const { actions, run } = await load()
      if (actions === undefined) continue
      const refused = await run({}, ['unheard-of', 'x', 'y']).catch(error => error)
      for (const action of actions) expect(`${name}: ${refused.hint}`).toContain(action.name)
    }
  })
})

test.each([60, 80, 132])('every --help fits a terminal of %i columns', async width => {
  for (const [name, { load }] of commands) {
    const { help } = await load()
    for (const line of layOutHelp(help, width)
      .split('\n')
      .filter(text => !isForCopying(text)))
      expect(line.length, `${name}: ${line}`).toBeLessThanOrEqual(width)
  }
})

/** The line of `completion` that a shell takes. */
const isForCopying = (line: string) => line.startsWith('  eval ')

describe('a call in an old spelling', () => {
  const peerId = '12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp'
  test.each([
    ['env check kind.ts', 'environment check kind.ts'],
    ['environment --model M --out F', 'environment create --model M --out F'],
    ['challenges withdraw --json', 'challenge withdraw --json'],
    [`challenge ${peerId} --round 2`, `challenge demand ${peerId} --round 2`],
    [`challenge --round 2 ${peerId} --fault`, `challenge prove --round 2 ${peerId}`],
    ['stakes --json', 'stake show --json'],
  ])('%s is %s', (old, now) => {
    expect(respell(old.split(' '))?.argv).toEqual(now.split(' '))
  })

  test.each(['environment create --out F', 'challenge demand X', 'challenge', 'environment --help', 'stake evaluator'])(
    '%s is of today',
    call => {
      expect(respell(call.split(' '))).toBeNull()
    },
  )
})
