import { parser } from '@lezer/python'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { PythonNode } from './pythonNode.ts'
import { isIndentedPlainly, isPlainSource, isToken } from './pythonTokens.ts'

/** Longer code is not read: answers are a few hundred characters. */
const MAX_CODE_CHARACTERS = 20_000
/** Deeper nesting is not read: answers do not need it, and recursion over it must stay bounded. */
const MAX_DEPTH = 100

type Tree = ReturnType<typeof parser.parse>
type Growing = PythonNode & { children: PythonNode[]; comments: PythonNode[] }

/**
 * Python code as a tree, without running it; null if it is not valid Python.
 *
 * The parser recovers from errors; any error node makes the whole code invalid. So does what Python refuses or reads otherwise and a judge could
 * not see: names, numbers, strings and indentation (`pythonTokens.ts`). Some other statements that CPython refuses later (`1 = x`) stay, and a judge
 * sees them.
 *
 * Yields to the event loop: the longest code takes some 30 ms, and recovering from the most errors half a second.
 */
export async function parsePython(code: string): Promise<PythonNode | null> {
  if (code.length > MAX_CODE_CHARACTERS || !isPlainSource(code)) return null
  const parse = parser.startParse(code)
  let tree: Tree | null = null
  while (tree === null) {
    await yieldToEventLoop()
    tree = parse.advance()
  }
  await yieldToEventLoop()
  return treeOf(tree, code)
}

/** Null if a node is an error, is refused by Python, or lies too deep. */
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
      if (child && !isToken(child)) isValid = false
    },
  })
  return isValid && isIndentedPlainly(root) ? root : null
}
