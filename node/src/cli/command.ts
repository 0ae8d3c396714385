import type { ParseArgsOptionsConfig } from 'node:util'
import type { HelpPart } from './layOutHelp.ts'

export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>

/** An action of a noun. */
export type CommandAction<Name extends string = string> = {
  name: Name
  /** Its arguments, as `--help` shows them. */
  arguments?: string
  /** Its purpose, in words that follow its name. */
  text: string
}

/** A verb of the command line. */
export type Command = {
  /** Text of `--help`. */
  help: readonly HelpPart[]
  options: ParseArgsOptionsConfig
  /** Actions of a noun. A verb has none. */
  actions?: readonly CommandAction[]
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
