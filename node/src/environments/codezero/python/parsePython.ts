import { parser } from '@lezer/python'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'

/** A node of Python's syntax tree. `from` and `to` are offsets into the code. */
export type PythonNode = {
  type: string
  from: number
  to: number
  text: string
  /** Without comments, so that the place of a child tells what it is. */
  children: readonly PythonNode[]
  /** Comments between the children. */
  comments: readonly PythonNode[]
}

/** Longer code is not read: answers are a few hundred characters. */
const MAX_CODE_CHARACTERS = 20_000
/** Deeper nesting is not read: answers do not need it, and recursion over it must stay bounded. */
const MAX_DEPTH = 100

type Tree = ReturnType<typeof parser.parse>
type Growing = PythonNode & { children: PythonNode[]; comments: PythonNode[] }

/**
 * Python code as a tree, without running it; null if it is not valid Python.
 *
 * The parser recovers from errors; any error node makes the whole code invalid. It accepts a few things that CPython refuses later (`1 = x`), which
 * only makes a check of form less strict. F-strings in which it would take code for text are refused.
 *
 * Yields to the event loop: the longest code takes some 30 ms, and recovering from the most errors half a second.
 */
export async function parsePython(code: string): Promise<PythonNode | null> {
  if (code.length > MAX_CODE_CHARACTERS) return null
  const parse = parser.startParse(code)
  let tree: Tree | null = null
  while (tree === null) {
    await yieldToEventLoop()
    tree = parse.advance()
  }
  await yieldToEventLoop()
  return treeOf(tree, code)
}

/** Null if a node is an error, or lies too deep. */
function treeOf(tree: Tree, code: string): PythonNode | null {
  const root: PythonNode = { type: 'Script', from: 0, to: code.length, text: code, children: [], comments: [] }
  const path: PythonNode[] = [root]
  let isValid = true
  tree.iterate({
    enter: node => {
      if (node.type.isError || path.length > MAX_DEPTH) isValid = false
      if (!isValid) return false
      if (node.type.isTop) return true
      const parent = path.at(-1) as Growing
      const child: PythonNode = {
        type: node.name,
        from: node.from,
        to: node.to,
        text: code.slice(node.from, node.to),
        children: [],
        comments: [],
      }
      if (child.type === 'Comment') parent.comments.push(child)
      else parent.children.push(child)
      path.push(child)
      return true
    },
    leave: node => {
      if (!isValid || node.type.isTop) return
      const child = path.pop()
      if (child?.type === 'FormatString' && hidesCode(child)) isValid = false
    },
  })
  return isValid ? root : null
}

/** A brace after an odd number of backslashes. */
const ESCAPED_BRACE = /(?<!\\)(?:\\\\)*\\\{/

/**
 * Whether the text of an f-string, without what it inserts, has an escaped brace. Python takes that brace for the beginning of an insertion and runs
 * it; the parser takes it for text, so that no check would read it.
 */
function hidesCode({ text, from, children }: PythonNode): boolean {
  let own = ''
  let end = 0
  for (const inserted of children.filter(({ type }) => type === 'FormatReplacement')) {
    own += text.slice(end, inserted.from - from)
    end = inserted.to - from
  }
  return ESCAPED_BRACE.test(own + text.slice(end))
}

/** Children and comments of a node, in order. */
export function withComments({ children, comments }: PythonNode): readonly PythonNode[] {
  return comments.length === 0 ? children : [...children, ...comments].sort((a, b) => a.from - b.from)
}
