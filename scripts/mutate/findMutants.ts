/** One change to one place of a source. */
export interface Mutant {
  /** Path from the repository's root. */
  file: string
  kind: 'operator' | 'constant' | 'require'
  /** From 1. */
  line: number
  /** Offset of the first changed character, from 0. */
  offset: number
  before: string
  after: string
}

interface Rule {
  kind: Mutant['kind']
  pattern: RegExp
  after: (match: RegExpExecArray) => readonly string[]
}

/** Operators become similar ones, constants change by one, and checks are removed. */
const RULES: readonly Rule[] = [
  { kind: 'operator', pattern: /==|!=/g, after: ([it]) => [it === '==' ? '!=' : '=='] },
  { kind: 'operator', pattern: / (<=|>=|<|>) /g, after: match => COMPARISONS[match[1] as string] ?? [] },
  { kind: 'operator', pattern: / (\+|-|\*|\/|%) /g, after: match => ARITHMETIC[match[1] as string] ?? [] },
  { kind: 'operator', pattern: / (&&|\|\|) /g, after: match => [match[1] === '&&' ? ' || ' : ' && '] },
  { kind: 'operator', pattern: / (&|\||<<|>>) /g, after: match => BITWISE[match[1] as string] ?? [] },
  { kind: 'operator', pattern: / (\+=|-=) /g, after: match => [match[1] === '+=' ? ' -= ' : ' += '] },
  { kind: 'operator', pattern: /!(?=[\w(])/g, after: () => [''] },
  {
    kind: 'constant',
    pattern: /(?<![\w.])\d[\d_]*(?![\w.])/g,
    after: ([it]) => [`${BigInt(it.replaceAll('_', '')) + 1n}`],
  },
  {
    kind: 'constant',
    pattern: /\b0x[0-9a-fA-F]+\b/g,
    after: ([it]) => [it.slice(0, -1) + (it.endsWith('0') ? '1' : '0')],
  },
  { kind: 'constant', pattern: /\b(true|false)\b/g, after: ([it]) => [it === 'true' ? 'false' : 'true'] },
  { kind: 'require', pattern: / only\w+(\([^)]*\))?(?= [^\n]*\{)/g, after: () => [''] },
  { kind: 'require', pattern: / initializer(?= \{)/g, after: () => [''] },
  { kind: 'require', pattern: /(?<=\n {8,})_require\w+\(/g, after: ([it]) => [`if (false) ${it}`] },
]

const COMPARISONS: Record<string, readonly string[]> = { '<': [' <= '], '<=': [' < '], '>': [' >= '], '>=': [' > '] }
const ARITHMETIC: Record<string, readonly string[]> = {
  '+': [' - '],
  '-': [' + '],
  '*': [' / '],
  '/': [' * '],
  '%': [' * '],
}
const BITWISE: Record<string, readonly string[]> = { '&': [' | '], '|': [' & '], '<<': [' >> '], '>>': [' << '] }

/** Every mutant of a source, in its order. Comments, strings, imports, pragmas and type sizes are left as they are. */
export function findMutants(file: string, source: string): Mutant[] {
  const code = blank(source)
  const mutantAt = (kind: Mutant['kind'], offset: number, before: string, after: string): Mutant => {
    const line = source.slice(0, offset).split('\n').length
    return { file, kind, line, offset, before, after }
  }
  const byRule = RULES.flatMap(({ kind, pattern, after }) =>
    [...code.matchAll(pattern)].flatMap(match =>
      after(match as RegExpExecArray).map(replacement => mutantAt(kind, match.index, match[0], replacement)),
    ),
  )
  const guards = findGuards(code).map(({ offset, text }) => mutantAt('require', offset, text, 'if (false)'))
  const mutants = [...byRule, ...guards].filter(({ before, offset }) => source.startsWith(before, offset))
  return mutants.sort((a, b) => a.offset - b.offset || a.after.localeCompare(b.after))
}

/** Every `if (…)` before a `revert`. */
function findGuards(code: string): { offset: number; text: string }[] {
  return [...code.matchAll(/\bif \(/g)].flatMap(({ index }) => {
    let depth = 0
    let end = index + 3
    do depth += code[end] === '(' ? 1 : code[end] === ')' ? -1 : 0
    while (depth > 0 && ++end < code.length)
    const text = code.slice(index, end + 1)
    return /^\s*\{?\s*revert\b/.test(code.slice(end + 1)) ? [{ offset: index, text }] : []
  })
}

export function applyMutant(source: string, { offset, before, after }: Mutant): string {
  if (source.slice(offset, offset + before.length) !== before) throw new Error('the source has changed')
  return source.slice(0, offset) + after + source.slice(offset + before.length)
}

/** The source with everything that is not to be mutated replaced by blanks of the same length. */
function blank(source: string): string {
  // To swap what is equal changes nothing.
  const swaps = /if \((\w+) > (\w+)\) \(\1, \2\) = \(\2, \1\);/g
  const skipped = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"[^"\n]*"|(import|pragma)\b[^;]*;|hex"[^"]*"|\[RING\]/g
  const blanks = (text: string) => text.replace(/[^\n]/g, ' ')
  return source.replace(skipped, blanks).replace(swaps, blanks)
}
