import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkDecisions } from './checkDecisions.ts'
import { anchorsOf, checkLinks } from './checkLinks.ts'
import { checkPhrases } from './checkPhrases.ts'
import { checkReadme } from './checkReadme.ts'

const root = mkdtempSync(join(tmpdir(), 'waggle-house-'))
afterAll(() => rmSync(root, { recursive: true }))

test('links and anchors that lead nowhere are found, code is not read', () => {
  const text =
    '# A `b`\n\n[1](a.md) [2](a.md#a-b) [3](gone.md)\n[4](#c) [5](https://x.org/y) `[6](no.md)`\n\n```\n[7](no.md)\n```\n'
  writeFileSync(join(root, 'a.md'), text)
  expect(checkLinks(root, new Map([['a.md', text]]))).toEqual([
    'a.md:3: no such file: gone.md',
    'a.md:4: no such heading: #c',
  ])
})

test('headings have the anchors that GitHub gives them', () =>
  expect([...anchorsOf("# It's 8-bit, e.g. `a_b`\n## Who & what\n## Who & what\n")]).toEqual([
    'its-8-bit-eg-a_b',
    'who--what',
    'who--what-1',
  ]))

test('phrases of the glossary are found in prose, whatever their case, and nowhere else', () => {
  const glossary =
    '## Phrases to avoid\n\n| avoid | write |\n|---|---|\n| face | facade |\n| in place of | instead of |\n'
  const text = 'In place of a face:\n`face`, Hugging Face, typeface, [x](a-face.md)\n'
  const documents = new Map([
    ['docs/glossary.md', glossary],
    ['a.md', text],
  ])
  expect(checkPhrases(documents)).toEqual(["a.md:1: 'In place of': write instead of", "a.md:1: 'face': write facade"])
})

test('a README that is too long or full of figures is found', () => {
  const commands = 'npm install && npm run swarm npm install && npm test'
  const figures = (count: number) => `\n## Figures\n\n| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(count)}`
  const check = (text: string) => checkReadme(new Map([['README.md', text]]))
  expect(check(`${commands} ${'word '.repeat(1_300)}${figures(10)}`)).toEqual([])
  expect(check(`${commands} ${'word '.repeat(1_400)}${figures(11)}`)).toHaveLength(2)
  expect(check(figures(1))).toHaveLength(2)
})

test('a decision of another form, or outside the index, is found', () => {
  const body = '\n## Context\n\n## Decision\n\n## Consequences\n'
  const index = '| [0001](0001-a.md) | A |\n| [0003](0003-c.md) | C |\n'
  const documents = new Map([
    ['docs/adr/README.md', index],
    ['docs/adr/0001-a.md', `# 0001: A\n${body}`],
    ['docs/adr/0002-b.md', `# 2. B\n${body}`],
    ['docs/adr/0003-c.md', '# 0003: D\n\n## Context\n\n## Decision\n'],
  ])
  expect(checkDecisions(documents)).toEqual([
    "docs/adr/0002-b.md:1: expected '# 0002: TITLE'",
    "docs/adr/0003-c.md: not in docs/adr/README.md as '| [0003](0003-c.md) | D |'",
    "docs/adr/0003-c.md: no section '## Consequences'",
  ])
})
