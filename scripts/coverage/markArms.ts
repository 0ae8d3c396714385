import { createRequire } from 'node:module'

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }

/** One way that a choice may go: an `if`, a ternary, or the left side of `&&` or `||`, which decides whether the right one counts. */
export interface Arm {
  id: string
  choice: 'if' | '?' | '&&' | '||'
  /** Line of the choice, from 1. */
  line: number
  taken: boolean
}

interface Node {
  nodeType?: string
  src?: string
  trueBody?: Node
  falseBody?: Node | null
  condition?: Node
  operator?: string
  leftExpression?: Node
  [key: string]: unknown
}

interface Insertion {
  at: number
  text: string
}

/**
 * A source in which every arm of every choice is its own line, which does nothing: Hardhat counts lines and no branches; so it counts
 * these. Arms of an `if` are statements, `true; // arm ID`. Those of an expression are functions at the end of the file, which give back
 * what the condition was.
 *
 * @param name - goes into the ids.
 */
export function markArms(name: string, source: string): { marked: string; arms: Arm[] } {
  const bytes = Buffer.from(source) // offsets of the syntax tree are in bytes
  const arms: Arm[] = []
  const opens: Insertion[] = []
  const closes: Insertion[] = []
  const functions: string[] = []
  const mark = (node: Node, choice: Arm['choice'], taken: boolean) => {
    const { start } = rangeOf(node)
    const line = bytes.subarray(0, start).toString().split('\n').length
    const id = `${name}:${line}:${start}:${choice}:${taken}`
    arms.push({ id, choice, line, taken })
    return `// arm ${id}`
  }
  const wrap = (node: Node, body: Node, taken: boolean, close: string) => {
    const { start } = rangeOf(body)
    opens.push({ at: start, text: `{\ntrue; ${mark(node, 'if', taken)}\n` })
    visit(body)
    closes.push({ at: endOf(body, bytes), text: close })
  }
  const answer = (node: Node, choice: Arm['choice'], taken: boolean) => {
    const called = `_arm${functions.length}`
    functions.push(`\nfunction ${called}() pure returns (bool) {\nreturn ${taken}; ${mark(node, choice, taken)}\n}\n`)
    return `${called}()`
  }
  const choose = (node: Node, condition: Node, choice: Arm['choice']) => {
    const { start, length } = rangeOf(condition)
    opens.push({ at: start, text: '(' })
    visit(condition)
    const text = ` ? ${answer(node, choice, true)} : ${answer(node, choice, false)})`
    closes.push({ at: start + length, text })
  }
  const visit = (node: Node): void => {
    const chosen = choiceOf(node)
    if (chosen !== undefined) choose(node, chosen.condition, chosen.choice)
    if (node.nodeType !== 'IfStatement') {
      for (const child of childrenOf(node)) if (child !== chosen?.condition) visit(child)
      return
    }
    const { condition, trueBody, falseBody } = node
    visit(condition as Node)
    const missing = falseBody ? '' : ` else {\ntrue; ${mark(node, 'if', false)}\n}`
    wrap(node, trueBody as Node, true, `\n}${missing}`)
    if (falseBody) wrap(node, falseBody, false, '\n}')
  }
  visit(parse(name, source))
  return { marked: insert(bytes, opens, closes) + functions.join(''), arms }
}

/** The condition of a ternary or of a short-circuit operator. */
function choiceOf({ nodeType, operator, condition, leftExpression }: Node) {
  if (nodeType === 'Conditional' && condition !== undefined) return { condition, choice: '?' as const }
  const isShort = nodeType === 'BinaryOperation' && (operator === '&&' || operator === '||')
  if (!isShort || leftExpression === undefined) return undefined
  return { condition: leftExpression, choice: operator as '&&' | '||' }
}

function parse(name: string, source: string): Node {
  const settings = { stopAfter: 'parsing', outputSelection: { '*': { '': ['ast'] } } }
  const input = { language: 'Solidity', sources: { [name]: { content: source } }, settings }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as { sources?: Record<string, { ast: Node }> }
  const ast = output.sources?.[name]?.ast
  if (ast === undefined) throw new Error(`${name} does not parse`)
  return ast
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((value): value is Node => typeof value === 'object' && value !== null && 'nodeType' in value)
}

function rangeOf({ src = '0:0' }: Node): { start: number; length: number } {
  const [start = 0, length = 0] = src.split(':').map(Number)
  return { start, length }
}

/** After a statement: the tree leaves the semicolon of a simple one out. */
function endOf(node: Node, bytes: Buffer): number {
  const { start, length } = rangeOf(node)
  const isCompound = ['Block', 'UncheckedBlock', 'IfStatement', 'ForStatement', 'WhileStatement'].includes(
    node.nodeType ?? '',
  )
  if (isCompound) {
    const last = lastStatementOf(node)
    return last === node ? start + length : endOf(last, bytes)
  }
  return bytes[start + length - 1] === 0x3b ? start + length : bytes.indexOf(';', start + length) + 1
}

/** Last statement of an `if` or a loop without braces. */
function lastStatementOf(node: Node): Node {
  const body = (node.falseBody ?? node.trueBody ?? node.body) as Node | undefined
  return body === undefined || node.nodeType === 'Block' ? node : lastStatementOf(body)
}

/** At one place, what ends there comes before what begins there, and the inner before the outer. */
function insert(bytes: Buffer, opens: readonly Insertion[], closes: readonly Insertion[]): string {
  const all = [...closes, ...opens]
  const places = [...new Set(all.map(({ at }) => at))].sort((a, b) => a - b)
  let marked = ''
  let from = 0
  for (const place of places) {
    marked += bytes.subarray(from, place).toString()
    for (const { at, text } of all) if (at === place) marked += text
    from = place
  }
  return marked + bytes.subarray(from).toString()
}
