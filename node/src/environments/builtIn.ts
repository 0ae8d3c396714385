import { z } from 'zod'
import { kind as codezero } from './codezero/kind.ts'
import { contradictionsOf } from './contradictionsOf.ts'
import type { Environment } from './environment.ts'
import type { ChatFolders, EnvironmentKind } from './environmentKind.ts'
import type { EnvironmentSpec } from './environmentSpec.ts'
import { kind as reasoning } from './reasoning/kind.ts'

// The one place that names the existing environments.

export {
  type DatasetFormat,
  type DatasetFormatName,
  datasetFormats,
  formatOf,
  heldOutDataset,
} from './codezero/datasets/datasetFormats.ts'
export type { DatasetTask } from './codezero/datasets/datasetTask.ts'
export { loadStarterEnvironments as loadEnvironments, starterFolder } from './codezero/loadStarter.ts'
export { type PresetName, presets } from './codezero/presets.ts'

/** Each kind of environment, by the name that its specifications carry. */
export const environmentKinds = { codezero, reasoning } as const satisfies Record<string, unknown>

const namedSchema = z.looseObject({
  name: z.string().refine(name => findKind(name) !== null, 'expected a kind of environment'),
})

/** Parses a specification by the schema of the kind that it names. @throws {z.ZodError} if its fields contradict each other, too. */
export function parseSpec(value: unknown): EnvironmentSpec {
  const { schema } = kindOf(namedSchema.parse(value))
  const sound = schema.superRefine((spec, { addIssue }) => {
    for (const { path, message } of contradictionsOf(spec)) addIssue({ code: 'custom', path: [...path], message })
  })
  return sound.parse(value)
}

/** The kind of that name; null if there is none. */
export function findKind(name: string): EnvironmentKind | null {
  const kinds: Readonly<Record<string, EnvironmentKind>> = environmentKinds
  return Object.hasOwn(kinds, name) ? (kinds[name] ?? null) : null
}

/** @throws {RangeError} if the kind is unknown. */
export function kindOf({ name }: { name: string }): EnvironmentKind {
  const kind = findKind(name)
  if (kind === null) throw new RangeError(`there is no environment '${name}'`)
  return kind
}

/** @see EnvironmentKind.load */
export function loadEnvironment(spec: EnvironmentSpec, folders: ChatFolders): Promise<Environment> {
  return kindOf(spec).load(spec, folders)
}
