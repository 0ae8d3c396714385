import type { ImportGraph } from './importGraph.ts'
import type { Texts } from './readTexts.ts'

const DOCUMENT = 'docs/architecture.md'

/** Most files on each path: the present counts. A longer path needs a reason; a shorter one lowers its number here. */
const MAX_FILES = {
  'The life of a rollout': 50,
  'The life of a task': 15,
  'The life of an update': 24,
  'The life of a bet': 23,
}

const ROW = /^\| \[`[^`]+`\]\(\.\.\/([^)]+)\) \|.*\| *([^|]*?) *\|$/gm

interface Step {
  file: string
  /** Way to the file if no file before it imports it. */
  by: string
}

/**
 * Checks that the listed paths are short and without gaps: each file exists and is listed once, and a file before it imports it, or both
 * contain the name in the last column. Only the first file is reached from outside.
 */
export function checkPaths(documents: Texts, sources: Texts, graph: ImportGraph): string[] {
  const sections = (documents.get(DOCUMENT) ?? '').split(/^## /m)
  return Object.entries(MAX_FILES).flatMap(([title, most]) => {
    const section = sections.find(text => text.startsWith(`${title}\n`)) ?? ''
    const steps = [...section.matchAll(ROW)].map(([, link = '', by = '']) => ({ file: decodeURIComponent(link), by }))
    const files = steps.map(({ file }) => file)
    const findings: string[] = []
    if (files.length === 0) findings.push(`lists no file under ## ${title}`)
    if (files.length > most) findings.push(`${files.length} files under ## ${title}, at most ${most}`)
    if (new Set(files).size < files.length) findings.push(`lists a file twice under ## ${title}`)
    if (!section.includes(` ${files.length} files`))
      findings.push(`does not say that ## ${title} has ${files.length} files`)
    for (const [at, step] of steps.entries()) {
      const gap = gapBefore(step, files.slice(0, at), sources, graph)
      if (gap !== null) findings.push(`## ${title}: ${step.file} ${gap}`)
    }
    return findings.map(finding => `${DOCUMENT}: ${finding}`)
  })
}

function gapBefore({ file, by }: Step, before: readonly string[], sources: Texts, graph: ImportGraph): string | null {
  const text = sources.get(file)
  if (text === undefined) return 'does not exist'
  if (before.length === 0) return by === 'start' ? null : "is the first: write 'start' in its last column"
  const isImported = before.some(path => graph.get(path)?.some(({ to }) => to === file))
  if (isImported) return by === '' ? null : `is imported by a file before it: leave out '${by}'`
  const [, name] = /^[^`]+: `([^`]+)`$/.exec(by) ?? []
  if (name === undefined) return "is imported by no file before it: write how it is reached, such as 'event: `Settled`'"
  // A contract begins with a capital, and its name in code does not.
  const contains = (other = '') => other.toLowerCase().includes(name.toLowerCase())
  const isNamed = contains(text) && before.some(path => contains(sources.get(path)))
  return isNamed ? null : `is not reached by ${name}: it and a file before it have to contain that`
}
