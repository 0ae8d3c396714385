import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { migrateFolder } from '#store/folderFormat.ts'
import { SETTINGS_FILE } from '#store/folderNames.ts'
import { UsageError } from '../usageError.ts'
import { PEER_FOLDER } from './commonSettings.ts'
import { describeSettings, settingsOf } from './settingOptions.ts'
import { settingProblem, unknownSetting } from './settingProblem.ts'
import { peerSettings } from './settings.ts'

/** The settings of a peer. Precedence: options, `<data>/waggle.yaml`, environment variables, defaults. */
const configSchema = z.strictObject(peerSettings)

export type Config = z.infer<typeof configSchema> & { data: string }

/**
 * Settings of a peer, whose folder is brought to this release's format first.
 *
 * @param options - of the command line; `undefined` where one is not given. `data` names the peer's folder.
 * @param migrate - brings the folder to this release's format.
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
  const file = existsSync(path) ? readYaml(path) : {}
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const flags = settingsOf(peerSettings, Object.fromEntries(given))
  const parsed = configSchema.safeParse({ ...file, ...flags })
  if (parsed.success) return { ...parsed.data, data: folder }
  const problems = parsed.error.issues.flatMap(issue => problemsOf(issue, file, flags))
  const fromFile = parsed.error.issues.some(({ path: [field] }) => field === undefined || !(field in flags))
  throw new UsageError(`Bad ${fromFile ? `setting in ${path}` : 'option'}: ${problems.join('; ')}.`, {
    hint: fromFile ? 'Correct that file.' : 'See --help.',
  })
}

type Settings = Record<string, unknown>

function problemsOf(issue: z.core.$ZodIssue, file: Settings, flags: Settings): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(key => unknownSetting(key, Object.keys(configSchema.shape)))
  const setting = String(issue.path[0])
  const option = describeSettings(peerSettings).find(({ name }) => name === setting)?.option
  const name = setting in flags ? `--${option}` : setting
  return [settingProblem(name, issue, { ...file, ...flags }[setting])]
}

function readYaml(path: string): Settings {
  try {
    return z.record(z.string(), z.unknown()).parse(parse(readFileSync(path, 'utf8')) ?? {})
  } catch (cause) {
    throw new UsageError(`${path} is not YAML with one setting a line.`, {
      hint: 'Correct it, or move it away.',
      cause,
    })
  }
}
