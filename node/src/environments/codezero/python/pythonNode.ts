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

/** Children and comments of a node, in order. */
export function withComments({ children, comments }: PythonNode): readonly PythonNode[] {
  return comments.length === 0 ? children : [...children, ...comments].sort((a, b) => a.from - b.from)
}
