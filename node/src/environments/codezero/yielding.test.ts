import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { canonicalCode } from './canonical/canonicalCode.ts'
import { canaryCases } from './curriculum/canaryTasks.ts'
import { moduleNames } from './python/moduleNames.ts'
import { parsePython } from './python/parsePython.ts'
import { checkStructure } from './structure.ts'

vi.mock('./python/moduleNames.ts', { spy: true })

const problem = { name: 'f', parameters: ['xs'], text: 'Return the sum of the numbers in xs.' }
const filled = (head: string, piece: string) => head + piece.repeat(Math.floor((20_000 - head.length) / piece.length))

// A clock that advances by a millisecond at each read: a yield is due at every fourth read, on any machine.
let nowMs = performance.now()
beforeEach(() => vi.spyOn(performance, 'now').mockImplementation(() => nowMs++))
afterEach(() => vi.restoreAllMocks())

/** Turns of the event loop until the work is done. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false]
  const done = work.finally(() => {
    isDone = true
  })
  while (!isDone) {
    await new Promise(resolve => setImmediate(resolve))
    turns++
  }
  await done
  return turns
}

test('The event loop gets its turns within the longest answer that is read.', async () => {
  const code = filled('def f(xs):\n', ' x=1\n')
  const answer = `\`\`\`python\n${code}\`\`\``
  expect(await turnsOf(checkStructure(answer, true, problem))).toBeGreaterThan(1000)
})

test('The event loop gets its turns between the tasks of a canary.', async () => {
  expect(await turnsOf(canaryCases(3, 40))).toBeGreaterThan(20)
})

test('The event loop gets its turns while the parser recovers from many errors.', async () => {
  const reading = parsePython(')'.repeat(5000))
  expect(await turnsOf(reading)).toBeGreaterThan(1000)
  expect(await reading).toBeNull()
})

test('Deeply nested names are renamed for the judge like others.', async () => {
  const nested = (name: string, header: string) =>
    `${header}\n    return ${`[${name} for ${name} in `.repeat(16)}xs${']'.repeat(16)}\n`
  expect(await canonicalCode(nested('a', 'def f(xs):'), problem)).toBe(nested('p', 'def f(xs):'))
})

test('A chain of helpers, the last one first, is followed in time that grows with its length.', async () => {
  const helpers = Array.from({ length: 1_000 }, (_, at) => `v${999 - at}=v${1_000 - at}`)
  const answer = `\`\`\`python\ndef f(xs):\n    return v0\n${helpers.join('\n')}\nprint(f([1]))\n\`\`\``
  vi.mocked(moduleNames).mockClear()
  const { code } = await checkStructure(answer, true, problem)
  expect(code?.split('\n')).toHaveLength(1_003)
  expect(vi.mocked(moduleNames).mock.calls.length).toBeLessThan(10_000)
})
