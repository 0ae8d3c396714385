import type { PythonNode } from './pythonNode.ts'

/** The arguments of a call, each by its nodes: `x`, `*`, `x` or `name`, `=`, `x`. A generator without brackets is one of several nodes. */
export function callArguments(list: PythonNode): PythonNode[][] {
  const values: PythonNode[][] = [[]]
  for (const child of list.children.slice(1, -1)) {
    if (child.type === ',') values.push([])
    else values.at(-1)?.push(child)
  }
  return values.filter(value => value.length > 0)
}
