import { blank, type Documents, lineOf, withoutCode } from './readDocuments.ts'

const GLOSSARY = 'docs/glossary.md'
const HEADING = '## Phrases to avoid'

/** Phrases that the glossary's table rules out, in prose: code, link targets and that table itself do not count. */
export function checkPhrases(documents: Documents): string[] {
  const glossary = documents.get(GLOSSARY) ?? ''
  const phrases = phrasesToAvoid(glossary)
  if (phrases.size === 0) return [`${GLOSSARY}: no table under ${HEADING}`]
  const pattern = new RegExp(`(?<![\\w-])(?:${[...phrases.keys()].join('|').replaceAll(' ', '\\s+')})(?![\\w-])`, 'gi')
  const findings: string[] = []
  for (const [path, text] of documents) {
    for (const { 0: found, index } of proseOf(path, text).matchAll(pattern)) {
      const phrase = found.replaceAll(/\s+/g, ' ').toLowerCase()
      findings.push(`${path}:${lineOf(text, index)}: '${found}': write ${phrases.get(phrase)}`)
    }
  }
  return findings
}

/** What to write instead, by the phrase. */
export function phrasesToAvoid(glossary: string): Map<string, string> {
  const [, section = ''] = glossary.split(HEADING)
  const rows = [...section.matchAll(/^\| *([^|]+?) *\| *([^|]+?) *\|$/gm)]
  return new Map(rows.slice(2).map(([, phrase = '', write = '']) => [phrase.toLowerCase(), write]))
}

function proseOf(path: string, text: string): string {
  const table = path === GLOSSARY ? text.indexOf(HEADING) : -1
  const checked = table < 0 ? text : text.slice(0, table)
  return withoutCode(checked)
    .replaceAll(/\]\([^)]*\)/g, blank)
    .replaceAll('Hugging Face', blank)
}
