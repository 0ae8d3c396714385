import type { Texts } from './readTexts.ts'

const DOCUMENT = 'docs/architecture.md'

/** Most files that someone has to open to follow each of these from its start to its end. */
const MAX_FILES = { 'The life of a rollout': 50, 'The life of a bet': 25 }

/** A rollout and a bet pass few files; the document lists each file once and says how many there are. */
export function checkPaths(documents: Texts): string[] {
  const sections = (documents.get(DOCUMENT) ?? '').split(/^## /m)
  return Object.entries(MAX_FILES).flatMap(([title, most]) => {
    const section = sections.find(text => text.startsWith(`${title}\n`)) ?? ''
    const files = [...section.matchAll(/^\| \[`([^`]+)`\]/gm)].map(([, file]) => file)
    const findings: string[] = []
    if (files.length === 0) findings.push(`lists no file under ## ${title}`)
    if (files.length > most) findings.push(`${files.length} files under ## ${title}, at most ${most}`)
    if (new Set(files).size < files.length) findings.push(`lists a file twice under ## ${title}`)
    if (!section.includes(` ${files.length} `)) findings.push(`does not say that ## ${title} has ${files.length} files`)
    return findings.map(finding => `${DOCUMENT}: ${finding}`)
  })
}
