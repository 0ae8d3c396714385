import { join, resolve } from 'node:path'
import { z } from 'zod'
import { isNamed } from '#base/readSmallFile.ts'
import { migrateFolder } from '#store/folderFormat.ts'
import { SETTINGS_FILE } from '#store/folderNames.ts'
import { UsageError } from '../usageError.ts'
import { PEER_FOLDER } from './commonSettings.ts'
import { readYaml } from './readYaml.ts'
import { describeSettings, settingsOf } from './settingOptions.ts'
import { quotable, settingProblem, unknownSetting } from './settingProblem.ts'
import { peerSettings } from './settings.ts'

/** The settings of a peer. Precedence: options, `<data>/waggle.yaml`, environment variables, defaults. */
const configSchema = z.strictObject(peerSettings)

export type Config = z.infer<typeof configSchema> & { data: string }

/**
 * Reads the settings of a peer, after migrating its folder to this release's format.
 *
 * @param options - of the command line; `undefined` for those that are not given. `data` names the peer's folder.
 * @param migrate - migrates the folder to this release's format.
 * @throws {UsageError} that names the file and the field.
 * @throws {FolderTooNewError} if a newer release wrote the folder.
 */
export function loadConfig(
  { data = PEER_FOLDER, ...options }: Record<string, unknown>,
  migrate: typeof migrateFolder = migrateFolder,
): Config {
  const folder = resolve(String(data))
  migrate(folder, line => console.error(line))
  const path = join(folder, SETTINGS_FILE)
  const file = readSettings(path)
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const flags = settingsOf(peerSettings, Object.fromEntries(given))
  const parsed = configSchema.safeParse({ ...file, ...flags })
  if (parsed.success) return { ...parsed.data, data: folder }
  const problems = firstOfEach(parsed.error.issues).flatMap(issue => problemsOf(issue, file, flags))
  const fromFile = parsed.error.issues.some(({ path: [field] }) => field === undefined || !(field in flags))
  throw new UsageError(`Bad ${fromFile ? `setting in ${path}` : 'option'}: ${problems.join('; ')}.`, {
    hint: fromFile ? 'Correct that file.' : 'See --help.',
  })
}

type Settings = Record<string, unknown>

/** One issue a setting: a huge number breaks two rules. */
function firstOfEach(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  return issues.filter((issue, at) => issues.findIndex(({ path }) => path[0] === issue.path[0]) === at)
}

function problemsOf(issue: z.core.$ZodIssue, file: Settings, flags: Settings): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(key => unknownSetting(key, Object.keys(configSchema.shape)))
  const setting = String(issue.path[0])
  const option = describeSettings(peerSettings).find(({ name }) => name === setting)?.option
  const name = setting in flags ? `--${option}` : setting
  return [settingProblem(name, issue, { ...file, ...flags }[setting])]
}

/**
 * The settings of a file as they are written; none if it does not exist.
 *
 * @throws {UsageError} that names the file.
 */
export function readSettings(path: string): Settings {
  if (!isNamed(path)) return {}
  const settings = readYaml(path) ?? {}
  if (typeof settings !== 'object' || Array.isArray(settings))
    throw new UsageError(`${path} does not have one setting a line, such as 'role: solver'.`, {
      hint: 'Correct it, or move it away.',
    })
  const empty = Object.entries(settings).find(([, value]) => value === null)
  if (empty === undefined) return settings as Settings
  throw new UsageError(`Bad setting in ${path}: ${quotable(empty[0])} has no value.`, {
    hint: 'Give it a value, or remove its line.',
  })
}
