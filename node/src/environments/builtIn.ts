import { z } from 'zod'
import { codeZeroKind } from './codezero/kind.ts'
import type { Environment } from './environment.ts'
import type { ChatFolders, EnvironmentKind } from './environmentKind.ts'
import type { EnvironmentSpec } from './environmentSpec.ts'

// The one place that names the environments that there are.

export { loadStarterEnvironments as loadEnvironments, starterFolder } from './codezero/loadStarter.ts'
export { type PresetName, presets } from './codezero/presets.ts'

/** Each kind of environment, by the name that its specifications carry. */
export const environmentKinds = { codezero: codeZeroKind } as const satisfies Record<string, unknown>
export type KindName = keyof typeof environmentKinds

const kindNames = Object.keys(environmentKinds) as [KindName, ...KindName[]]
const namedSchema = z.looseObject({ name: z.enum(kindNames) })

/** The specification that a JSON value is, by the schema of the kind that it names. @throws {z.ZodError} */
export function parseSpec(value: unknown): EnvironmentSpec {
  return kindOf(namedSchema.parse(value)).schema.parse(value)
}

/** @throws {RangeError} if there is no kind of that name. */
export function kindOf({ name }: { name: string }): EnvironmentKind {
  const kind = (environmentKinds as Record<string, EnvironmentKind>)[name]
  if (kind === undefined) throw new RangeError(`there is no environment '${name}'`)
  return kind
}

/** @see EnvironmentKind.load */
export function loadEnvironment(spec: EnvironmentSpec, folders: ChatFolders): Promise<Environment> {
  return kindOf(spec).load(spec, folders)
}
