import { expect, test } from 'vitest'
import { parseJson } from './parseJson.ts'

const parse = (text: string) => parseJson(text, problem => new Error(problem))

test('everything that JSON.parse accepts is accepted; brackets in texts do not count as nesting', () => {
  const value = { a: [1, '[[[['.repeat(100), '\\"['.repeat(100)], '{"': [[{}]] }
  expect(parse(JSON.stringify(value))).toEqual(value)
  expect(parse(`${'['.repeat(64)}${']'.repeat(64)}`)).toBeTruthy()
  expect(parse(`[${'[],'.repeat(1000)}[]]`)).toHaveLength(1001)
})

test.each([
  ['is nested deeper than 64', '['.repeat(65)],
  ['is nested deeper than 64', '{"a":'.repeat(30_000_000 / 5)],
  ['is not JSON', '{"a":'],
  ['is not JSON', '"\\'],
])('%s', (problem, text) => {
  expect(() => parse(text)).toThrow(problem)
})
