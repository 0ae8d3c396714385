import { bindings } from './moduleNames.ts'
import type { PythonNode } from './pythonNode.ts'

/**
 * Public names of Python 3.11's standard library that `nameSpeaks` takes for speech, in the modules that functions on values use. Other names
 * of these modules are shown anyway.
 */
export const librarySpeech: Readonly<Record<string, readonly string[]>> = {
  bisect: ['bisect_right', 'insort_right'],
  builtins: ['FileNotFoundError', 'ModuleNotFoundError', 'SystemError', 'SystemExit', 'UserWarning'],
  collections: ['UserDict', 'UserList', 'UserString'],
  contextlib: ['AbstractAsyncContextManager'],
  datetime: ['resolution'],
  decimal: ['create_decimal_from_float'],
  random: ['SystemRandom'],
  re: ['IGNORECASE'],
  sys: ['get_int_max_str_digits', 'getfilesystemencoding', 'set_int_max_str_digits'],
  types: ['BuiltinFunctionType', 'ClassMethodDescriptorType', 'CodeType', 'FunctionType', 'GetSetDescriptorType'],
  typing: ['NoReturn', 'no_type_check', 'no_type_check_decorator'],
}

/** Code with more different ones could say something by them: none is shown then. */
const MAX_LIBRARY_SPEECH = 3

/**
 * Names in code that speak only because the library spells them so: of modules that the code imports, and of the built-in ones. A name that
 * the code gives a value itself is its own, as a keyword of a call is.
 */
export function libraryNames(tree: PythonNode): ReadonlySet<string> {
  const modules = ['builtins', ...importedModules(tree)]
  const own = new Set(ownNames(tree))
  const known = new Set(modules.flatMap(name => librarySpeech[name] ?? []).filter(name => !own.has(name)))
  const used = new Set(namesIn(tree).filter(name => known.has(name)))
  return used.size > MAX_LIBRARY_SPEECH ? new Set() : used
}

const isName = ({ type }: PythonNode) => type === 'VariableName' || type === 'PropertyName'

/** All names in code, attributes and keywords too, in order. */
export function namesIn(node: PythonNode): string[] {
  return isName(node) ? [node.text] : node.children.flatMap(namesIn)
}

/** `import a, b.c as d` and `from a import b` name `a`, `b` and `c`. */
function importedModules({ type, children }: PythonNode): string[] {
  if (type !== 'ImportStatement') return children.flatMap(importedModules)
  const end = children[0]?.type === 'from' ? children.findIndex(child => child.type === 'import') : children.length
  return children.slice(0, end).flatMap((child, at) => (children[at - 1]?.type === 'as' ? [] : namesIn(child)))
}

function ownNames(node: PythonNode): string[] {
  const { type, children } = node
  if (type === 'ImportStatement')
    return children.flatMap((child, at) => (children[at - 1]?.type === 'as' ? namesIn(child) : []))
  const keywords = type === 'ArgList' ? children.filter((_, at) => children[at + 1]?.type === 'AssignOp') : []
  return [...[...bindings(node), ...keywords].flatMap(namesIn), ...children.flatMap(ownNames)]
}
