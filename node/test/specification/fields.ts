import { z } from 'zod'

/** Evidence that a field is obeyed: another value, and something that follows from the specification and differs with it. */
export type Probe<Spec> = {
  /** Undefined if all of its parent is replaced, by `also`. */
  readonly value?: unknown
  /** Other fields that both specifications have, by their paths. */
  readonly given?: Readonly<Record<string, unknown>>
  /** Fields that have to change with it. */
  readonly also?: Readonly<Record<string, unknown>>
  readonly seen: (spec: Spec) => unknown
}

export type Probes<Spec> = Readonly<Record<string, Probe<Spec>>>

type Json = {
  readonly properties?: Readonly<Record<string, Json>>
  readonly anyOf?: readonly Json[]
  readonly oneOf?: readonly Json[]
  readonly const?: unknown
}

/** Paths of the fields of a schema that may have more than one value: `training.betas`. */
export function fieldsOf(schema: z.ZodType): string[] {
  const found = new Map<string, Set<unknown>>()
  const walk = (json: Json, path: string): void => {
    const variants = json.anyOf ?? json.oneOf ?? []
    for (const variant of variants) walk(variant, path)
    for (const [name, field] of Object.entries(json.properties ?? {}))
      walk(field, path === '' ? name : `${path}.${name}`)
    if (variants.length === 0 && json.properties === undefined) note(path, 'const' in json ? json.const : {})
  }
  const note = (path: string, value: unknown) => {
    const values = found.get(path) ?? new Set()
    found.set(path, values.add(value))
  }
  walk(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as Json, '')
  // A field that has one constant value cannot change.
  const isFixed = (values: Set<unknown>) => values.size === 1 && typeof [...values][0] !== 'object'
  const all = [...found].filter(([, values]) => !isFixed(values)).map(([path]) => path)
  // One that is an object or null is its fields.
  return all.filter(path => !all.some(other => other.startsWith(`${path}.`))).toSorted()
}

/** A copy with fields replaced. */
export function withFields<Spec extends object>(spec: Spec, fields: Readonly<Record<string, unknown>>): Spec {
  const copy = structuredClone(spec)
  for (const [path, value] of Object.entries(fields)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const parent = names.reduce((at, name) => at[name] as Record<string, unknown>, copy as Record<string, unknown>)
    parent[last] = value
  }
  return copy
}
