import { z } from 'zod'
import type { Command, CommandAction, Values } from './command.ts'
import type { HelpPart } from './layOutHelp.ts'
import { optionRows, optionsOf, type Settings, settingsOf } from './options/settingOptions.ts'
import { settingProblem } from './options/settingProblem.ts'
import { UsageError } from './usageError.ts'

type Definition<Own extends Settings> = {
  /** How it is called, one call a line. */
  usage: string
  /** Paragraphs that describe it; `--help` wraps them. Not needed if its actions say everything. */
  about?: string
  /** Options of this command: schemas with their `meta`. */
  own: Own
  /** Peer settings that the command also accepts; `loadConfig` checks them, together with those of the peer's folder. */
  peer?: Settings
  actions?: readonly CommandAction[]
  positionals?: readonly string[]
  morePositionals?: readonly string[]
  /**
   * @param own - values of its own options, checked.
   * @param flags - the peer's settings that were given, for `loadConfig`.
   */
  run: (own: z.infer<z.ZodObject<Own>>, positionals: string[], flags: Values) => Promise<void>
}

/** A command whose parser, checks, types and `--help` follow from the schemas of its options. */
export function defineCommand<Own extends Settings>({
  usage,
  about,
  own,
  peer = {},
  run,
  ...words
}: Definition<Own>): Command {
  const { json, ...others } = own as Settings
  const shown: Settings = { ...others, ...peer, ...(json && { json }) }
  return {
    ...words,
    help: [
      { calls: usage },
      ...(about === undefined ? [] : [about]),
      ...actionRows(words.actions),
      { rows: optionRows(shown) },
    ],
    options: optionsOf(shown),
    run: async (values, given) => run(readOwn(own, values), given, flagsOf(peer, values)),
  }
}

function actionRows(actions: readonly CommandAction[] = []): HelpPart[] {
  const rows = actions.map(({ name, arguments: takes, text }) => ({
    name: takes === undefined ? name : `${name} ${takes}`,
    text,
  }))
  return rows.length === 0 ? [] : [{ rows }]
}

/** The value of an option that an action needs. @throws {UsageError} */
export function required<T>(option: string, value: T | undefined, hint = 'See --help.'): T {
  if (value !== undefined) return value
  throw new UsageError(`--${option} is required.`, { hint })
}

/** A number within a limit that depends on other options. @throws {UsageError} */
export function atMost(option: string, value: number, max: number): number {
  if (value <= max) return value
  throw new UsageError(`--${option} must be at most ${max}, not '${value}'.`, { hint: 'See --help.' })
}

function readOwn<Own extends Settings>(own: Own, values: Values): z.infer<z.ZodObject<Own>> {
  const given = settingsOf(own, values)
  const parsed = z.object(own).safeParse(given)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(issue => {
    const name = String(issue.path[0])
    return given[name] === undefined ? `--${name} is required` : settingProblem(`--${name}`, issue, given[name])
  })
  throw new UsageError(`${problems.join('; ')}.`, { hint: 'See --help.' })
}

function flagsOf(peer: Settings, values: Values): Values {
  const names = Object.keys(optionsOf(peer))
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)))
}
