import { type GraphQLSchema, isInputObjectType, isObjectType } from 'graphql'
import { describeColumn } from './readDescriptions.ts'

/** Gives the schema that Ponder made of the tables, which has no descriptions, theirs. */
export function describeSchema(schema: GraphQLSchema, described: ReadonlyMap<string, string>): void {
  for (const type of Object.values(schema.getTypeMap())) {
    const table = described.get(type.name)
    const [, listed, of] = /^(\w+?)(Page|Filter)$/.exec(type.name) ?? []
    if (isObjectType(type) && table !== undefined) {
      type.description = table
      for (const field of Object.values(type.getFields()))
        field.description = describeColumn(described, type.name, field.name) ?? relation(field.type.toString())
    } else if (listed !== undefined && described.has(listed)) {
      if (isObjectType(type)) type.description = `A page of rows of \`${listed}\`.`
      if (isInputObjectType(type) && of === 'Filter') type.description = `Conditions on rows of \`${listed}\`.`
    }
  }
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const row = field.type.toString().replace(/!$/, '').replace(/Page$/, '')
    field.description = described.get(row) ?? field.description
  }
}

/** Description of a field that leads to rows of another table. */
function relation(type: string): string {
  const table = type.replace('!', '')
  return table.endsWith('Page') ? `Its rows of \`${table.slice(0, -4)}\`.` : `Its row of \`${table}\`.`
}
