import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'

type Variables = Readonly<Record<string, unknown>>

/** Ponder's default limit of a list, and its maximum. */
const [DEFAULT_ROWS, MAX_ROWS] = [50, 1_000]
/** Fields that are walked: fragments in fragments may stand for any number of them. */
const MAX_FIELDS = 2_000
/** Of fields within fields, introspection aside. The pages' own questions are five deep. */
export const MAX_DEPTH = 8
/** What a page of a list has. Ponder reads its rows for any of these, or for none. */
const PAGE_FIELDS: readonly string[] = ['items', 'pageInfo', 'totalCount', '__typename']
/** Lists of the schema that name types again: each within another multiplies the answer, and Ponder makes it without a pause. */
const TYPE_LISTS: readonly string[] = ['fields', 'inputFields', 'interfaces', 'possibleTypes']
/** Of all lists, each within another counted as often as that has rows. The largest question of the pages asks for some 20,000. */
export const MAX_QUESTION_ROWS = 50_000

/** Why a query is refused; null if it is accepted. Decided before anything is read from the database. */
export function costFault(document: DocumentNode, variables: Variables): string | null {
  const fragments = new Map(
    document.definitions.flatMap(one =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    ),
  )
  const walk = createWalk(fragments, variables)
  try {
    let rows = 0
    for (const one of document.definitions)
      if (one.kind === Kind.OPERATION_DEFINITION) rows += walk(one.selectionSet, 1)
    return rows > MAX_QUESTION_ROWS
      ? `It asks for up to ${rows} rows, ${MAX_QUESTION_ROWS} at most: name a smaller limit for the lists within lists.`
      : null
  } catch (error) {
    if (error instanceof TooLarge) return error.message
    throw error
  }
}

class TooLarge extends Error {}

function createWalk(fragments: ReadonlyMap<string, FragmentDefinitionNode>, variables: Variables) {
  let walked = 0

  /** The fields of a selection, those of its fragments among them. */
  function fieldsOf({ selections }: SelectionSetNode, within: readonly string[] = []): FieldNode[] {
    return selections.flatMap(selection => {
      if (++walked > MAX_FIELDS) throw new TooLarge(`It has more than ${MAX_FIELDS} fields.`)
      if (selection.kind === Kind.FIELD) return [selection]
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

  return function rowsOf(set: SelectionSetNode, depth: number): number {
    if (depth > MAX_DEPTH) throw new TooLarge(`It is more than ${MAX_DEPTH} fields deep.`)
    let rows = 0
    for (const field of fieldsOf(set)) {
      if (field.selectionSet === undefined) continue
      if (field.name.value.startsWith('__')) {
        checkSchema(field.selectionSet, false)
        continue
      }
      const inner = rowsOf(field.selectionSet, depth + 1)
      const isItems = field.name.value === 'items'
      const isPage = fieldsOf(field.selectionSet).every(({ name }) => PAGE_FIELDS.includes(name.value))
      rows += isItems ? inner : isPage ? Math.max(1, limitOf(field, variables)) * (1 + inner) : 1 + inner
    }
    return rows
  }
}

function limitOf({ arguments: given = [] }: FieldNode, variables: Variables): number {
  const value = given.find(({ name }) => name.value === 'limit')?.value
  if (value === undefined) return DEFAULT_ROWS
  const limit =
    value.kind === Kind.VARIABLE ? variables[value.name.value] : value.kind === Kind.INT ? Number(value.value) : null
  return typeof limit === 'number' && limit >= 0 ? Math.min(MAX_ROWS, limit) : MAX_ROWS
}
