import {
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
} from 'graphql'
import type { Link } from './links.ts'

type Row = Readonly<Record<string, unknown>>
type Resolve = GraphQLFieldResolver<Row | undefined, unknown, Record<string, unknown>>

/**
 * Adds links to the schema that Ponder made. Each asks what a field of `Query` does, for the rows of the same key, so that filters, order and
 * pages are those of that field.
 *
 * @throws {Error} if a link names an unknown type, field or column.
 */
export function addLinks(schema: GraphQLSchema, links: Readonly<Record<string, Readonly<Record<string, Link>>>>): void {
  const roots = schema.getQueryType()?.getFields() ?? {}
  for (const [typeName, ofType] of Object.entries(links)) {
    const type = schema.getType(typeName) as GraphQLObjectType | undefined
    if (type === undefined) throw new Error(`no table or view is named ${typeName}`)
    const fields = type.getFields()
    for (const [name, link] of Object.entries(ofType)) {
      const root = roots[link.to]
      const missing = Object.values(link.by).filter(column => fields[column] === undefined)
      if (root?.resolve === undefined || missing.length > 0 || fields[name] !== undefined)
        throw new Error(`${typeName}.${name} does not lead to ${link.to}`)
      const resolve = root.resolve as Resolve
      const list = getNullableType(root.type) as GraphQLObjectType
      const isRow = !list.name.endsWith('Page')
      const row = isRow ? list : rowOf(list)
      const isList = !isRow && !link.isOne
      fields[name] = {
        ...root,
        name,
        // A link that fails is null alone: without it the row would be lost, and with that the whole list.
        type: isList ? list : row,
        args: isList ? root.args : [],
        description: undefined,
        resolve: isRow ? toRow(resolve, link) : isList ? toList(resolve, link) : toOne(resolve, link),
      }
    }
  }
}

/** Row type of a page: `items: [row!]!`. */
const rowOf = (page: GraphQLObjectType) => getNamedType(page.getFields().items?.type) as GraphQLObjectType

const keyOf = (row: Row | undefined, { by }: Link): Row =>
  Object.fromEntries(Object.entries(by).map(([column, own]) => [column, row?.[own]]))

/** Ponder reads the rows of one table that a question asks for together. */
const toRow =
  (resolve: Resolve, link: Link): Resolve =>
  (row, _, context, info) => {
    const key = keyOf(row, link)
    return Object.values(key).includes(null) ? null : resolve(undefined, key, context, info)
  }

const toList =
  (resolve: Resolve, link: Link): Resolve =>
  (row, { where, ...args }, context, info) => {
    const own = keyOf(row, link)
    return resolve(undefined, { ...args, where: where == null ? own : { AND: [where, own] } }, context, info)
  }

const toOne =
  (resolve: Resolve, link: Link): Resolve =>
  async (row, _, context, info) => {
    const { items } = (await resolve(undefined, { where: keyOf(row, link), limit: 1 }, context, info)) as {
      items: Row[]
    }
    return items[0] ?? null
  }
