import { boundNames } from '../python/boundNames.ts'
import type { PythonNode } from '../python/pythonNode.ts'
import { knownFunctions } from './curriculumForms.ts'

/**
 * Whether each name that a function reads has a value by then, in the order of the text: otherwise Python fails. A name that is bound anywhere in a
 * function is its own, also before that place.
 *
 * @param lone - a function of known forms (`hasKnownForms`).
 */
export function readsInOrder(lone: PythonNode): boolean {
  const own = boundNames(lone)
  const hasValue = (node: PythonNode, known: Set<string>): boolean => {
    const { type, text, children } = node
    const all = (nodes: readonly (PythonNode | undefined)[], of: Set<string>) =>
      nodes.every(child => child === undefined || hasValue(child, of))
    if (type === 'VariableName') return own.has(text) ? known.has(text) : knownFunctions.has(text)
    if (type === 'AssignStatement') {
      const [target, , value] = children
      return all([value], known) && bind(target, known)
    }
    if (type === 'ForStatement') {
      const [, target, , values, ...blocks] = children
      return all([values], known) && bind(target, known) && all(blocks, known)
    }
    const at = children.findIndex(child => child.type === 'for')
    if (at < 0) return all(children, known)
    // A comprehension: the names of its loop are its own.
    const [value, target, , values, ...conditions] = [children[at - 1], ...children.slice(at + 1)]
    const inside = new Set(known)
    return all([values], known) && bind(target, inside) && all([value, ...conditions], inside)
  }
  const [, , list, ...rest] = lone.children
  const parameters = (list?.children ?? []).filter(({ type }) => type === 'VariableName').map(({ text }) => text)
  const known = new Set(parameters)
  return rest.filter(({ type }) => type === 'Body').every(body => hasValue(body, known))
}

function bind(target: PythonNode | undefined, known: Set<string>): boolean {
  if (target !== undefined) known.add(target.text)
  return true
}
