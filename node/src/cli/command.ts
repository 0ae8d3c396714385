import type { ParseArgsOptionsConfig } from 'node:util'

export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>

/** One verb of the command line. */
export type Command = {
  /** One line, for the list of commands. */
  summary: string
  /** What `--help` prints. */
  usage: string
  options: ParseArgsOptionsConfig
  run: (values: Values, positionals: string[]) => Promise<void>
}
