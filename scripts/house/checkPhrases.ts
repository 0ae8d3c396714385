import { blank, lineOf, type Texts, withoutCode } from './readTexts.ts'

/** Source files, as `readTexts` takes them. */
export const SOURCES = ['*.ts', '*.tsx', '*.mjs', '*.py', '*.sh', '*.sol']

const CONTRIBUTING = 'CONTRIBUTING.md'
const HEADING = '## Phrases to avoid'

/** Names that stay: benchmarks, a key of the journal on disk, and a field of the gateway's status. */
const NAMES = /\bbench\b|'sealed bodies'|\bbodies: collecting\b/gi

interface PhrasesToAvoid {
  /** Words to write instead, by the phrase in lower case. */
  replacements: ReadonlyMap<string, string>
  /** Longer phrases that hold one of them and are fine. */
  exceptions: readonly string[]
}

/** Phrases that a table of CONTRIBUTING.md rules out, in prose: code, link targets and that table itself do not count. */
export function checkDocuments(documents: Texts): string[] {
  const phrases = phrasesToAvoid(documents)
  if (phrases.replacements.size === 0) return [`${CONTRIBUTING}: no table under ${HEADING}`]
  return find(phrases, documents, proseOf)
}

/** The same in whole source files: comments, messages and names. */
export function checkSources(phrases: PhrasesToAvoid, sources: Texts): string[] {
  return find(phrases, sources, (_, text) => text.replaceAll(NAMES, blank))
}

/** The table of phrases; empty if there is no such table. */
export function phrasesToAvoid(documents: Texts): PhrasesToAvoid {
  const [, section = ''] = (documents.get(CONTRIBUTING) ?? '').split(HEADING)
  const rows = [...section.matchAll(/^\| *([^|]+?) *\| *([^|]+?) *\|(?: *([^|]*?) *\|)?$/gm)].slice(2)
  return {
    replacements: new Map(rows.map(([, phrase = '', write = '']) => [phrase.toLowerCase(), write])),
    exceptions: rows.flatMap(([, , , except = '']) => except.split(', ').filter(phrase => phrase !== '')),
  }
}

function find(phrases: PhrasesToAvoid, texts: Texts, read: (path: string, text: string) => string): string[] {
  const avoided = patternOf(phrases.replacements.keys())
  const allowed = patternOf(phrases.exceptions)
  const findings: string[] = []
  for (const [path, text] of texts) {
    for (const { 0: found, index } of read(path, text).replaceAll(allowed, blank).matchAll(avoided)) {
      const phrase = found.replaceAll(/[\s*/]+/g, ' ')
      const write = phrases.replacements.get(phrase.toLowerCase())
      findings.push(`${path}:${lineOf(text, index)}: '${phrase}': write ${write}`)
    }
  }
  return findings
}

/** Whole words in any case; a phrase may run over the end of a line, in a comment too. */
function patternOf(phrases: Iterable<string>): RegExp {
  const words = [...phrases].map(phrase =>
    phrase.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replaceAll(' ', String.raw`[\s*/]+`),
  )
  return new RegExp(String.raw`(?<![\w/-])(?:${words.join('|') || '(?!)'})(?![\w-])`, 'gi')
}

function proseOf(path: string, text: string): string {
  const table = path === CONTRIBUTING ? text.indexOf(HEADING) : -1
  return withoutCode(table < 0 ? text : text.slice(0, table)).replaceAll(/\]\([^)]*\)/g, blank)
}
