import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { codeGames } from './codezero/codeGames.ts'
import { parseTaskText } from './codezero/curriculum/parseTaskText.ts'
import { semanticKey } from './codezero/curriculum/semanticKey.ts'
import { inParts } from './games.ts'
import { reasoningGames } from './reasoning/reasoning.ts'

const encode = async (text: string) => Int32Array.from([...text], character => character.charCodeAt(0))
const text = (tokens: Int32Array) => String.fromCharCode(...tokens)
const seeds = Array.from({ length: 20 }, (_, at): Hex => `0x${at.toString(16).padStart(64, '0')}`)

const code = codeGames({
  encode,
  solverPrompt: ({ name, parameters, text }) => encode(`${name}(${parameters}) ${text}: `),
})
const puzzles = reasoningGames(
  { families: ['sum', 'linear', 'boolean'], levels: { lowest: 1, highest: 3 }, reply: 'bare' },
  { tokenizer: { encode }, prompt: ({ question }) => encode(`${question} = `) },
)

test.each([
  ['code', code],
  ['puzzles', puzzles],
])('%s: a question follows from its seed alone, and one of its choices is right', (_, games) => {
  for (const seed of seeds) {
    const { choices, clues, answer, question } = games.draw(seed)
    expect(games.draw(seed)).toEqual({ choices, clues, answer, question })
    expect(new Set(choices).size).toBe(choices.length)
    expect(choices[answer]).toBeDefined()
    expect([choices.length >= 2, choices.length <= 4, clues.length >= 1, clues.length <= 4]).toEqual(
      Array(4).fill(true),
    )
    expect(JSON.stringify({ question, choices }).length).toBeLessThan(1_500)
  }
  expect(new Set(seeds.map(seed => JSON.stringify(games.draw(seed)))).size).toBe(seeds.length)
})

test('texts of code differ in what they ask for, and its clues are the code for one of them', async () => {
  for (const seed of seeds) {
    const { choices, clues, answer, question } = code.draw(seed)
    const keys = choices.map(choice => semanticKey(parseTaskText(choice) ?? expect.fail(choice)))
    expect(new Set(keys).size).toBe(choices.length)
    const sequences = (await code.sequences({ question, choices }, clues)) ?? []
    const { tokens, from } = sequences[answer] ?? expect.fail('no sequence')
    expect(text(tokens.subarray(0, from))).toContain(choices[answer])
    expect(text(tokens.subarray(from))).toBe(`\`\`\`python\n${clues.join('')}`)
  }
})

test('the policy reads what is shown of a puzzle, and then each answer', async () => {
  const { question, choices, clues } = puzzles.draw(seeds[3] as Hex)
  const sequences = (await puzzles.sequences({ question, choices }, clues.slice(0, 1))) ?? []
  expect(sequences.map(({ tokens }) => text(tokens))).toEqual(choices.map(choice => `${clues[0]} = ${choice}`))
})

test('a question that is not of the environment is not read', async () => {
  const foreign = { question: 'Who wins?', choices: ['ann', 'ben'] }
  expect([await code.sequences(foreign, []), await puzzles.sequences(foreign, [])]).toEqual([null, null])
})

test('parts join to the whole, and are fewer where there are fewer words', () => {
  expect(inParts('a bb ccc\n  dddd', 2)).toEqual(['a bb', ' ccc\n  dddd'])
  expect(inParts('one two', 4)).toEqual(['one', ' two'])
})
