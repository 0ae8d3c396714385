import { parseArgs } from 'node:util'
import type { Command, Values } from './command.ts'
import { joinNegatives } from './joinNegatives.ts'
import { meantOption } from './nearest.ts'
import { UsageError } from './usageError.ts'

type ParsedCommand = { values: Values; positionals: string[] }

/**
 * Parses the options and arguments of one command. With `--help` nothing else is checked.
 *
 * No value may be empty: `--data "$UNSET"` would mean the current folder.
 *
 * @throws {UsageError}
 */
export function parseCommand(name: string, command: Command, args: string[]): ParsedCommand {
  const parsed = parse(name, command, args)
  if (parsed.values.help === true) return parsed
  requirePositionals(name, command, parsed.positionals)
  for (const [option, value] of Object.entries(parsed.values))
    if ([value].flat().some(isBlank)) throw emptyValue(`--${option}`, name)
  for (const [index, value] of parsed.positionals.entries())
    if (isBlank(value)) throw emptyValue(command.positionals?.[index] ?? 'an argument', name)
  return parsed
}

function parse(name: string, command: Command, args: string[]): ParsedCommand {
  try {
    const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const
    return parseArgs({ args: joinNegatives(args), options, allowPositionals: true })
  } catch (cause) {
    if (isAmbiguous(cause)) throw withoutValue(cause.message, name)
    const [, negative] = /^Unknown option '(-\d)'/.exec((cause as Error).message) ?? []
    if (negative !== undefined)
      throw new UsageError(`${name} takes no negative number.`, { hint: helpHint(name), cause })
    const [sentence = ''] = (cause instanceof Error ? cause.message : String(cause)).split(/\. |\n/)
    const hint = `${meantOption(sentence, Object.keys(command.options))}${helpHint(name)}`
    throw new UsageError(`${sentence.replace(/\.$/, '')}.`, { hint, cause })
  }
}

/** Node's refusal of `--data --json`. */
function isAmbiguous(cause: unknown): cause is Error {
  return cause instanceof Error && / argument is ambiguous\./.test(cause.message)
}

function withoutValue(refusal: string, name: string): UsageError {
  const [, option = 'an option'] = /^Option '(?:-\w, )?(--[^' ]+)/.exec(refusal) ?? []
  return new UsageError(`${option} needs a value.`, {
    hint: `Write ${option}=VALUE if the value begins with a dash. ${helpHint(name)}`,
  })
}

function requirePositionals(
  name: string,
  { positionals: due = [], morePositionals: more = [] }: Command,
  given: readonly string[],
): void {
  if (given.length < due.length)
    throw new UsageError(`${name} needs ${due.slice(given.length).join(' and ')}.`, { hint: helpHint(name) })
  const most = due.length + more.length
  if (given.length > most) throw new UsageError(`${name} does not take '${given[most]}'.`, { hint: helpHint(name) })
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === ''
}

function emptyValue(what: string, name: string): UsageError {
  return new UsageError(`The value of ${what} is empty.`, {
    hint: `Leave it out or give it a value; a shell variable may be unset. ${helpHint(name)}`,
  })
}

function helpHint(name: string): string {
  return `See npx waggle ${name} --help.`
}
