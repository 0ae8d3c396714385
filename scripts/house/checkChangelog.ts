import type { Texts } from './readTexts.ts'

/** A screen. */
const MAX_WORDS = 500

/** What a release brought is read at a glance. What is not released yet may grow until then. */
export function checkChangelog(documents: Texts): string[] {
  const [, ...sections] = (documents.get('CHANGELOG.md') ?? '').split(/^## /m)
  return sections
    .filter(section => !section.startsWith('[Unreleased]'))
    .map(section => ({ title: section.split('\n', 1).join(), words: section.split(/\s+/).length }))
    .filter(({ words }) => words > MAX_WORDS)
    .map(({ title, words }) => `CHANGELOG.md: ${words} words under ${title}, at most ${MAX_WORDS}`)
}
