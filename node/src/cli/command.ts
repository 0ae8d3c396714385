import type { ParseArgsOptionsConfig } from 'node:util'

export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>

/** A verb of the command line. */
export type Command = {
  /** Text of `--help`. */
  usage: string
  options: ParseArgsOptionsConfig
  /** Actions of a noun. A verb has none. */
  actions?: readonly string[]
  /** Names of the positional arguments; all of them are required. */
  positionals?: readonly string[]
  /** Names of optional positional arguments after them. */
  morePositionals?: readonly string[]
  /** @param positionals - one for each name. */
  run: (values: Values, positionals: string[]) => Promise<void>
}

/** A command as the list of commands shows it. Its code is loaded on demand: most commands need no model and no network. */
export type Verb = {
  /** One line. */
  summary: string
  load: () => Promise<Command>
}
