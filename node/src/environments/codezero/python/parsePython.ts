import { parser } from '@lezer/python'

/** A node of Python's syntax tree. `from` and `to` are offsets into the code. */
export type PythonNode = {
  type: string
  from: number
  to: number
  text: string
  children: readonly PythonNode[]
}

/** Longer code is not read: answers are a few hundred characters. */
const MAX_CODE_CHARACTERS = 20_000
/** Deeper nesting is not read; it is no answer, and recursion over it must stay bounded. */
const MAX_DEPTH = 100

/**
 * Python code as a tree, without running it; null where it is not valid Python.
 *
 * The parser recovers from errors; any error node makes the whole code invalid. It lets a few things pass that CPython
 * refuses later (`1 = x`), which only costs a check of form its sharpness.
 */
export function parsePython(code: string): PythonNode | null {
  if (code.length > MAX_CODE_CHARACTERS) return null
  const root: PythonNode = { type: 'Script', from: 0, to: code.length, text: code, children: [] }
  const path: PythonNode[] = [root]
  let isValid = true
  parser.parse(code).iterate({
    enter: node => {
      if (node.type.isError || path.length > MAX_DEPTH) isValid = false
      if (!isValid) return false
      if (node.type.isTop) return true
      const parent = path.at(-1) as PythonNode & { children: PythonNode[] }
      const child: PythonNode = {
        type: node.name,
        from: node.from,
        to: node.to,
        text: code.slice(node.from, node.to),
        children: [],
      }
      parent.children.push(child)
      path.push(child)
      return true
    },
    leave: node => {
      if (isValid && !node.type.isTop) path.pop()
    },
  })
  return isValid ? root : null
}

/** All nodes without children, in the order of the code. */
export function leaves(node: PythonNode): PythonNode[] {
  return node.children.length ? node.children.flatMap(leaves) : [node]
}

/** The node and all below it, in the order of the code. */
export function* walk(node: PythonNode): Generator<PythonNode> {
  yield node
  for (const child of node.children) yield* walk(child)
}

/** The statements of a script, comments left out. */
export function statementsOf(script: PythonNode): PythonNode[] {
  return script.children.filter(child => child.type !== 'Comment')
}
