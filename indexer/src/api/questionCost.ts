import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'
import { SINGLE_READS } from './links.ts'
import { filterFault, namedBy } from './questionFilters.ts'
import { scansOf } from './questionScans.ts'

type Variables = Readonly<Record<string, unknown>>

/** Ponder's default limit of a list, and its maximum. */
const [DEFAULT_ROWS, MAX_ROWS] = [50, 1_000]
/** Fields that are walked: fragments in fragments may stand for any number of them. */
const MAX_FIELDS = 2_000
/** Fields under another name. Fields of the same row that read nothing else cost nothing otherwise, nor does `_meta`. */
const MAX_ALIASES = 30
/** Most nested fields, without introspection. The pages' own queries have five levels. */
export const MAX_DEPTH = 8
/** Fields of a page of a list. Ponder reads its rows for any of these, or for none. */
const PAGE_FIELDS: readonly string[] = ['items', 'pageInfo', 'totalCount', '__typename']
/** Lists of the schema that name types again: each within another multiplies the answer, and Ponder makes it without a pause. */
const TYPE_LISTS: readonly string[] = ['fields', 'inputFields', 'interfaces', 'possibleTypes']
/** Most rows of all lists; a list within another counts once for each row of that. The largest query of the pages asks for about 20,000. */
export const MAX_QUESTION_ROWS = 50_000

/** Statements of SQL: Ponder reads each list of each row by itself, and counts it by another, in one turn of the event loop. */
export const MAX_QUESTION_READS = 1_200

/**
 * Lists of a question that runs next to others, as each of the pages does. Each takes a millisecond, and all of a question come in one turn
 * of the event loop.
 */
export const FEW_READS = 100

/** The most that a query may cost, or the reason why it is refused. Decided before anything is read from the database. */
export function questionCost(document: DocumentNode, variables: Variables): Cost | string {
  const fragments = new Map(
    document.definitions.flatMap(one =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    ),
  )
  const fault = filterFault(document, variables)
  if (fault !== null) return fault
  const walk = createWalk(fragments, variables)
  try {
    const cost: Cost = { rows: 0, reads: 0 }
    for (const one of document.definitions) {
      if (one.kind !== Kind.OPERATION_DEFINITION) continue
      const asked = walk(one.selectionSet, 1)
      cost.rows += asked.rows
      cost.reads += asked.reads
    }
    const { rows, reads } = cost
    const advice = 'name a smaller limit for the lists within lists, or fewer rounds or keys.'
    if (rows > MAX_QUESTION_ROWS) return `It asks for up to ${rows} rows, ${MAX_QUESTION_ROWS} at most: ${advice}`
    if (reads > MAX_QUESTION_READS) return `It asks for up to ${reads} lists, ${MAX_QUESTION_READS} at most: ${advice}`
    return cost
  } catch (error) {
    if (error instanceof TooLarge) return error.message
    throw error
  }
}

/**
 * Rows of all lists, and lists that are read or counted. A list of a view counts once for each round or key that it names, and one without an
 * index as a large question.
 */
export type Cost = { rows: number; reads: number }

const ONE = { list: 1, count: 1 }

/** Lists that a list at the top of a question counts as. Within a row, an index leads to it. */
function readsOf(field: FieldNode, variables: Variables): typeof ONE {
  const named = namedBy(field, variables)
  if (typeof named === 'string') throw new TooLarge(named)
  return named === null ? scansOf(field, variables) : { list: named, count: named }
}

const isCount = ({ name }: FieldNode) => name.value === 'totalCount'

class TooLarge extends Error {}

function createWalk(fragments: ReadonlyMap<string, FragmentDefinitionNode>, variables: Variables) {
  let walked = 0
  const aliased = new Set<FieldNode>()

  /** The fields of a selection, those of its fragments among them. */
  function fieldsOf({ selections }: SelectionSetNode, within: readonly string[] = []): FieldNode[] {
    return selections.flatMap(selection => {
      if (++walked > MAX_FIELDS) throw new TooLarge(`It has more than ${MAX_FIELDS} fields.`)
      if (selection.kind === Kind.FIELD) {
        if (selection.alias !== undefined && aliased.add(selection).size > MAX_ALIASES)
          throw new TooLarge(`It has more than ${MAX_ALIASES} fields under other names.`)
        return [selection]
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet, within)
      const name = selection.name.value
      const fragment = fragments.get(name)
      return fragment === undefined || within.includes(name) ? [] : fieldsOf(fragment.selectionSet, [...within, name])
    })
  }

  function checkSchema(set: SelectionSetNode, isInList: boolean): void {
    for (const { name, selectionSet } of fieldsOf(set)) {
      const isList = TYPE_LISTS.includes(name.value)
      if (isList && isInList) throw new TooLarge('It asks for types within types: ask for each by its name.')
      if (selectionSet !== undefined) checkSchema(selectionSet, isList || isInList)
    }
  }

  return function costOf(set: SelectionSetNode, depth: number): Cost {
    if (depth > MAX_DEPTH) throw new TooLarge(`It is more than ${MAX_DEPTH} fields deep.`)
    const cost: Cost = { rows: 0, reads: 0 }
    for (const field of fieldsOf(set)) {
      if (field.selectionSet === undefined) continue
      const reads = depth === 1 ? readsOf(field, variables) : ONE
      if (field.name.value.startsWith('__')) {
        checkSchema(field.selectionSet, false)
        continue
      }
      const inner = costOf(field.selectionSet, depth + 1)
      const within = fieldsOf(field.selectionSet)
      const isPage = within.every(({ name }) => PAGE_FIELDS.includes(name.value))
      const times = isPage ? Math.max(1, limitOf(field, variables)) : 1
      cost.rows += field.name.value === 'items' ? inner.rows : times * (1 + inner.rows)
      const isRead = isPage || SINGLE_READS.has(field.name.value)
      cost.reads += times * inner.reads + (isRead ? reads.list + reads.count * within.filter(isCount).length : 0)
    }
    return cost
  }
}

function limitOf({ arguments: given = [] }: FieldNode, variables: Variables): number {
  const value = given.find(({ name }) => name.value === 'limit')?.value
  if (value === undefined) return DEFAULT_ROWS
  const limit =
    value.kind === Kind.VARIABLE ? variables[value.name.value] : value.kind === Kind.INT ? Number(value.value) : null
  return typeof limit === 'number' && limit >= 0 ? Math.min(MAX_ROWS, limit) : MAX_ROWS
}
