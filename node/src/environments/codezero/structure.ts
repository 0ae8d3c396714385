import { mapYielding } from '#core/threads/mapYielding.ts'
import type { Problem } from './curriculum/task.ts'
import { fencedBlocks, mayBePython } from './fencedBlocks.ts'
import { type AnswerStatements, answerStatements, codeOf } from './python/answerStatements.ts'
import { skeletonOf } from './python/codeSkeleton.ts'
import { functionHeader, takes } from './python/functionHeader.ts'
import { ANY_NAME, moduleNames } from './python/moduleNames.ts'
import { parsePython } from './python/parsePython.ts'
import type { PythonNode } from './python/pythonNode.ts'

/** The checks of form, in order. None of them runs the code. */
export const structureChecks = ['fenced', 'parses', 'defines', 'adheres', 'ends'] as const
type StructureCheck = (typeof structureChecks)[number]

export type Structure = {
  checks: Record<StructureCheck, boolean>
  /** The code, if every check holds. */
  code: string | null
}

/** Statements that an answer may hold besides the function. */
const otherStatements: ReadonlySet<string> = new Set([
  'ImportStatement',
  'AssignStatement',
  'FunctionDefinition',
  'DecoratedStatement',
  'ClassDefinition',
  'PassStatement',
])

/**
 * An answer's form. The answer is the first fenced block, tagged as Python or not, that defines the function; without one, the first that is valid.
 *
 * - `fenced`: such a block exists, with any prose and other blocks around it.
 * - `parses`: its content is valid Python.
 * - `defines`: one function of the required name, at the top, and no other block gives the name another value.
 * - `adheres`: a call with the required parameters fits it. Besides it there are only imports, helpers, constants and docstrings, and
 *   none of them takes its name. What follows it and is not needed by it, such as example calls, may be anything that does not take its name.
 * - `ends`: the model ended the answer within the token limit.
 */
export async function checkStructure(answer: string, ended: boolean, problem: Problem): Promise<Structure> {
  const { block, named, isOnlyOne, parts } = await readAnswer(answer, problem)
  const header = named[0] ? functionHeader(named[0]) : null
  const checks = {
    fenced: block !== null,
    parses: block !== null && block.statements.length > 0,
    defines: named.length === 1 && isOnlyOne,
    adheres: header !== null && takes(header, problem.parameters) && mayBeAnswer(parts, named, problem.name),
    ends: ended,
  }
  const isWhole = Object.values(checks).every(Boolean)
  return { checks, code: isWhole && block && named[0] && parts ? codeOf(block.code, named[0], parts) : null }
}

/** The code of an answer to run, even if its form is incomplete, without unneeded statements after the function. Null if no block holds code. */
export async function codeOfAnswer(answer: string, problem: Problem): Promise<string | null> {
  const { block, named, parts } = await readAnswer(answer, problem)
  if (block === null || named[0] === undefined || parts === null) return block?.code ?? null
  return mayBeAnswer(parts, named, problem.name) ? codeOf(block.code, named[0], parts) : block.code
}

type Block = { readonly code: string; readonly statements: readonly PythonNode[] }

type Reading = {
  readonly block: Block | null
  /** Definitions of the function in it. */
  readonly named: readonly PythonNode[]
  /** Whether no other block redefines the function. */
  readonly isOnlyOne: boolean
  readonly parts: AnswerStatements | null
}

async function readAnswer(answer: string, problem: Problem): Promise<Reading> {
  const blocks = await mapYielding(pythonBlocks(answer), async code => {
    const tree = await parsePython(code)
    return { code, statements: tree ? tree.children : [] }
  })
  const namedIn = ({ statements }: Block) =>
    statements.filter(statement => functionHeader(statement)?.name === problem.name)
  const block =
    blocks.find(one => namedIn(one).length > 0) ??
    blocks.find(({ statements }) => statements.length > 0) ??
    blocks[0] ??
    null
  const named = block ? namedIn(block) : []
  const asked = named[0]
  if (block === null || asked === undefined) return { block, named, isOnlyOne: true, parts: null }
  const skeleton = skeletonOf(asked, problem)
  const others = blocks.filter(other => other !== block).flatMap(({ statements }) => statements)
  const isOnlyOne = others.every(
    other =>
      !moduleNames(other).has(problem.name) || (namesIt(other, problem) && skeletonOf(other, problem) === skeleton),
  )
  return { block, named, isOnlyOne, parts: answerStatements(block.statements, asked) }
}

const namesIt = (statement: PythonNode, { name }: Problem) => functionHeader(statement)?.name === name

function mayBeAnswer(parts: AnswerStatements | null, named: readonly PythonNode[], name: string): boolean {
  if (parts === null || named[0] === undefined) return false
  const at = parts.kept.indexOf(named[0])
  return (
    parts.kept.every(statement => named.includes(statement) || mayStand(statement, name)) &&
    [...parts.kept.slice(at + 1), ...parts.cut].every(
      statement => named.includes(statement) || !mayTake(statement, name),
    )
  )
}

function mayStand(statement: PythonNode, name: string): boolean {
  const [first, ...more] = statement.children
  if (statement.type === 'ExpressionStatement') return first?.type === 'String' && more.length === 0
  return otherStatements.has(statement.type) && !moduleNames(statement).has(name)
}

/** Whether a statement after the function may give its name another value. */
function mayTake(statement: PythonNode, name: string): boolean {
  const names = moduleNames(statement)
  return names.has(name) || names.has(ANY_NAME)
}

/** More than any honest answer has. Each block is parsed, so their number is bounded. */
const MAX_BLOCKS = 16
/** Limit for several blocks together: parsing them costs no more than parsing the longest single block that is read. */
const MAX_CHARACTERS = 20_000

/** The code of the fenced blocks of a text that may be Python, in order. @returns an empty list if there are too many. */
function pythonBlocks(text: string): string[] {
  const blocks = fencedBlocks(text).filter(mayBePython)
  const characters = blocks.reduce((sum, { code }) => sum + code.length, 0)
  const isTooMuch = blocks.length > MAX_BLOCKS || (blocks.length > 1 && characters > MAX_CHARACTERS)
  return isTooMuch ? [] : blocks.map(({ code }) => code)
}
