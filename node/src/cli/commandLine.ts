import { formatError, NodeError } from '#base/errors.ts'
import { asFileError } from '#base/fileError.ts'
import { ownRelease } from '#roles/release.ts'
import { asDiskFull } from '#store/diskSpace.ts'
import { asForeignContract } from './asForeignContract.ts'
import type { Verb } from './command.ts'
import { type HelpPart, type HelpRow, helpWidth, layOutHelp } from './layOutHelp.ts'
import { unknownWord } from './nearest.ts'
import { respell } from './oldSpellings.ts'
import { parseCommand } from './parseCommand.ts'
import { isInterruption } from './untilInterrupted.ts'
import { UsageError } from './usageError.ts'
import { verbGroups, verbs } from './verbs.ts'

/** Where the summaries of commands begin. */
const SUMMARIES = 15

const help: readonly HelpPart[] = [
  { calls: 'npx waggle COMMAND [OPTIONS]' },
  ...Object.entries(verbGroups).map(([title, group]) => ({ title, rows: Object.entries(group).map(rowOf) })),
  'npx waggle COMMAND --help, or npx waggle help COMMAND, describes a command; --version prints the version.',
  'Exit codes: 0 success, 64 wrong usage, 69 something could not be checked, 75 temporary failure, try again later, 130 stopped by Ctrl-C, 1 any other failure.',
]

function rowOf([name, { summary }]: [string, Verb]): HelpRow {
  return { name, text: summary }
}

/** Runs the command that the arguments name; `printFailure` tells what it throws. */
export async function runCommandLine([name = '--help', ...argv]: readonly string[]): Promise<void> {
  if (name === 'help' && argv[0] !== undefined) return runCommandLine([argv[0], '--help'])
  if (['--help', '-h', 'help'].includes(name))
    return console.log(layOutHelp(help, helpWidth(process.stdout.columns), SUMMARIES))
  if (['--version', '-v', 'version'].includes(name)) return console.log(ownRelease())
  const respelled = respell([name, ...argv])
  if (respelled !== null) {
    console.error(`npx waggle ${respelled.old} is now npx waggle ${respelled.now}.`)
    return runCommandLine(respelled.argv)
  }
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (verb === undefined)
    throw unknownWord('command', name, Object.keys(verbs), 'npx waggle --help lists the commands.')
  const command = await verb.load()
  const { values, positionals } = parseCommand(name, command, argv)
  if (values.help === true) return console.log(layOutHelp(command.help))
  await command.run(values, positionals)
}

/** Prints one line that the operator can act on, an unexpected error with its stack, and sets the exit code. */
export function printFailure(thrown: unknown): void {
  const { path = 'a file' } = (thrown ?? {}) as NodeJS.ErrnoException
  const error = asForeignContract(asFileError(asDiskFull(thrown, path)))
  if (isInterruption(error)) {
    console.error('Stopped. What was downloaded or made is kept: the next run resumes from there. [STOPPED]')
    process.exitCode = 130 // as a shell reports after SIGINT
    return
  }
  if (!(error instanceof NodeError) && error instanceof Error) console.error(error)
  console.error(formatError(error))
  // 64 and 75 are those of sysexits.h.
  process.exitCode = error instanceof UsageError ? 64 : error instanceof NodeError && error.retryable ? 75 : 1
}
