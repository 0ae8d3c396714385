import type { ParseArgsOptionsConfig } from 'node:util'
import { z } from 'zod'
import { type CamelKeys, camelKeys } from '#core/camelKeys.ts'
import { roleNames } from '#roles/roleName.ts'
import type { HelpRow } from '../layOutHelp.ts'

export type Settings = Readonly<Record<string, z.ZodType>>

/** Fields of a setting's `meta`. */
const metaSchema = z.strictObject({
  /** Placeholder of the value; a switch has none. */
  value: z.string().optional(),
  /** The option's name, if it differs from the setting's: `--bootnode` names one, `bootnodes` lists all. */
  option: z.string().optional(),
  description: z.string(),
})

/** Description of a setting for --help and docs/settings.md. */
export type SettingHelp = z.infer<typeof metaSchema> & {
  name: string
  option: string
  /** Undefined if the schema has none, or an empty one. */
  default: string | undefined
}

export function describeSettings(settings: Settings): SettingHelp[] {
  return Object.entries(settings).map(([name, schema]) => {
    const meta = metaSchema.parse(schema.meta())
    return { name, ...meta, option: meta.option ?? name, default: defaultOf(schema) }
  })
}

/** The options of settings, as `parseArgs` takes them. */
export function optionsOf(settings: Settings): ParseArgsOptionsConfig {
  const names = describeSettings(settings).map(({ name, option }) => [option, optionOf(settings[name])] as const)
  return Object.fromEntries(names)
}

/** The values of options by the names of their settings. Other values keep their names. */
export function settingsOf(settings: Settings, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = new Map(describeSettings(settings).map(({ name, option }) => [option, name]))
  return Object.fromEntries(Object.entries(values).map(([option, value]) => [names.get(option) ?? option, value]))
}

/** The settings of one part of a peer, by the names of its code. */
export function pickSettings<Shape extends z.ZodRawShape>(
  config: z.infer<z.ZodObject<Shape>>,
  shape: Shape,
): CamelKeys<z.infer<z.ZodObject<Shape>>> {
  const own = Object.entries(config).filter(([name]) => Object.hasOwn(shape, name))
  return camelKeys(Object.fromEntries(own) as z.infer<z.ZodObject<Shape>>)
}

const oneRole = `(${roleNames.join('|')})`
/** The roles that read a setting, at the beginning of its description. */
const ROLES = new RegExp(`^${oneRole}(, ${oneRole})*: `)

/** The rows of settings in --help. A command without `--role` reads all of its settings, so it names no roles. */
export function optionRows(settings: Settings): HelpRow[] {
  const hasRoles = Object.hasOwn(settings, 'role')
  return describeSettings(settings).map(({ option, value, description, default: usual }) => {
    const text = hasRoles ? description : description.replace(ROLES, '')
    return {
      name: value === undefined ? `--${option}` : `--${option} ${value}`,
      text: usual === undefined ? text : `${text} (default ${usual})`,
    }
  })
}

function optionOf(schema: z.ZodType | undefined) {
  const inner = innerOf(schema)
  if (inner instanceof z.ZodBoolean) return { type: 'boolean' } as const
  return inner instanceof z.ZodArray ? ({ type: 'string', multiple: true } as const) : ({ type: 'string' } as const)
}

function innerOf(schema: unknown): unknown {
  const isWrapper = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional
  return isWrapper ? innerOf(schema.unwrap()) : schema
}

function defaultOf(schema: z.ZodType): string | undefined {
  const usual = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault ? schema.def.defaultValue : undefined
  if (usual === undefined || usual === false) return undefined
  if (Array.isArray(usual)) return usual.length === 0 ? undefined : usual.join(', ')
  return String(usual)
}
