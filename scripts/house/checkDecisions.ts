import type { Texts } from './readTexts.ts'

const FOLDER = 'docs/adr/'
const SECTIONS = ['## Context', '## Decision', '## Consequences']
const ALLOWED = [...SECTIONS, '## Rejected']

/** Each decision has one form, is in the index under its own title, and says which decisions supersede it. */
export function checkDecisions(documents: Texts): string[] {
  const index = documents.get(`${FOLDER}README.md`) ?? ''
  const listed = [...index.matchAll(/^\| \[(\d{4})\]\(([^)]+)\) \| (.+) \|$/gm)].map(([, number, file, title]) => ({
    number: number ?? '',
    file: file ?? '',
    title,
  }))
  const findings: string[] = []
  const numbers = listed.map(({ number }) => number)
  if (numbers.join() !== numbers.toSorted().join()) findings.push(`${FOLDER}README.md: not in the order of numbers`)
  for (const [path, text] of documents) {
    const [, file = '', number = ''] = /^docs\/adr\/((\d{4})-[^/]+\.md)$/.exec(path) ?? []
    if (file === '') continue
    const title = text.split('\n', 1)[0]?.replace(`# ${number}: `, '')
    if (!text.startsWith(`# ${number}: `)) findings.push(`${path}:1: expected '# ${number}: TITLE'`)
    else if (!listed.some(entry => entry.file === file && entry.number === number && entry.title === title))
      findings.push(`${path}: not in ${FOLDER}README.md as '| [${number}](${file}) | ${title} |'`)
    for (const section of SECTIONS)
      if (!text.includes(`\n${section}\n`)) findings.push(`${path}: no section '${section}'`)
    for (const [section] of text.matchAll(/^## .*$/gm))
      if (!ALLOWED.includes(section)) findings.push(`${path}: move '${section}' to docs/log`)
    for (const older of linksAfter(text, 'supersedes'))
      if (!linksAfter(documents.get(FOLDER + older) ?? '', 'superseded by').includes(file))
        findings.push(`${FOLDER}${older}: expected 'superseded by [${number}]' under its title`)
    for (const newer of linksAfter(text, 'superseded by'))
      if (!linksAfter(documents.get(FOLDER + newer) ?? '', 'supersedes').includes(file))
        findings.push(`${FOLDER}${newer}: expected 'supersedes [${number}]' under its title`)
  }
  return findings
}

/** Files that a record links under its title, in the sentence of a verb. */
function linksAfter(text: string, verb: 'supersedes' | 'superseded by'): string[] {
  const [status = ''] = text.split('\n## ', 1)
  const sentences = status.split(/\.\s/).filter(sentence => new RegExp(`\\b${verb} \\[`, 'i').test(sentence))
  return sentences.flatMap(sentence => [...sentence.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link))
}
