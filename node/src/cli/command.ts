import type { ParseArgsOptionsConfig } from 'node:util'

export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>

/** What one verb of the command line does. */
export type Command = {
  /** What `--help` prints. */
  usage: string
  options: ParseArgsOptionsConfig
  /** Actions of a noun. A verb has none. */
  actions?: readonly string[]
  /** Names of the positional arguments; all of them are required. */
  positionals?: readonly string[]
  /** Names of optional positional arguments after them. */
  morePositionals?: readonly string[]
  /** @param positionals - as many as are named. */
  run: (values: Values, positionals: string[]) => Promise<void>
}

/** A command as the list of commands shows it. Its code is loaded on demand: most commands need no model and no network. */
export type Verb = {
  /** One line. */
  summary: string
  load: () => Promise<Command>
}
