import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { createLogger } from '#core/logger.ts'
import { createEnvironmentWatch, environmentOnChain } from './environmentOnChain.ts'

const hash = (byte: string): Hex => `0x${byte.repeat(32)}`
const [own, other, strange] = [hash('aa'), hash('bb'), hash('cc')]

/** A chain whose environments a test sets from a round on. */
function setup() {
  const lines: { level: string; message: string; hint?: string }[] = []
  const write = (line: string) => lines.push(JSON.parse(line))
  const logger = createLogger({ write, format: 'json', level: 'info', clock: createManualClock() })
  const from: [number, Hex][] = [[0, own]]
  let asked = 0
  const readEnvironment = async (round: number) => {
    asked += 1
    return from.findLast(([first]) => first <= round)?.[1] ?? own
  }
  const plays = createEnvironmentWatch({ readEnvironment, own, known: [own, other], logger })
  return { plays, lines, from, asked: () => asked }
}

test('a change is said once, with what to do, and so is its end', async () => {
  const { plays, lines, from } = setup()
  from.push([3, strange], [5, own], [6, other])
  const played: boolean[] = []
  for (let round = 0; round < 8; round++) played.push(await plays(round))
  expect(played).toEqual([true, true, true, false, false, true, false, false])
  expect(lines.map(({ level, message, hint }) => [level, message.split(';')[1], hint?.split(':')[0]])).toEqual([
    [
      'warn',
      ' pausing',
      'Restart this node with the file of these rules (--environment), or with the release that has them.',
    ],
    ['info', ' resuming', undefined],
    ['warn', ' pausing', 'Restart this node'],
  ])
})

test('votes on earlier rounds go by their own rules, and are asked for once', async () => {
  const { plays, lines, from, asked } = setup()
  from.push([4, strange])
  expect(await plays(4)).toBe(false)
  expect([await plays(3), await plays(3)]).toEqual([true, true])
  expect(asked()).toBe(2)
  expect(lines).toHaveLength(1)
})

test('a false environment in one block does not end the start, and another one in two does', async () => {
  const clock = createManualClock()
  const { signal } = new AbortController()
  const known = [{ hash: own, spec: { preset: 'own' } }] as unknown as Parameters<typeof environmentOnChain>[1]
  const start = (...answers: Hex[]) => {
    const chain = {
      rounds: { read: async () => ({ round: 3 }) },
      readEnvironment: async () => answers.shift() ?? strange,
      nextBlock: async () => undefined,
    } as unknown as Parameters<typeof environmentOnChain>[0]['chain']
    return environmentOnChain({ chain, clock, signal }, known)
  }
  expect((await start(strange, own)).hash).toBe(own)
  await expect(start(strange, strange, own)).rejects.toThrow('The swarm plays by the rules')
})
