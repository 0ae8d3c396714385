import type { Texts } from './readTexts.ts'

/** A screen. */
const MAX_WORDS = 500

/** Limits the length of each release's notes. [Unreleased] has the same limit, so that a release needs no rewriting. */
export function checkChangelog(documents: Texts): string[] {
  const [, ...sections] = (documents.get('CHANGELOG.md') ?? '').split(/^## /m)
  return sections
    .map(section => ({ title: section.split('\n', 1).join(), words: section.split(/\s+/).length }))
    .filter(({ words }) => words > MAX_WORDS)
    .map(({ title, words }) => `CHANGELOG.md: ${words} words under ${title}, at most ${MAX_WORDS}`)
}
