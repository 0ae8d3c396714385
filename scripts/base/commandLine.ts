import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { z } from 'zod'
import { joinNegatives } from '../../node/src/cli/joinNegatives.ts'
import { type HelpPart, layOutHelp } from '../../node/src/cli/layOutHelp.ts'
import { meantOption } from '../../node/src/cli/nearest.ts'
import { flag } from '../../node/src/cli/options/optionKinds.ts'
import { optionsOf, type Settings } from '../../node/src/cli/options/settingOptions.ts'
import { settingProblem } from '../../node/src/cli/options/settingProblem.ts'

/** Command line of a script. */
export type CommandLine<Shape extends Settings> = {
  /** Parts of `--help`. */
  usage: readonly HelpPart[]
  /** Schemas with their `meta`, from which the parser and the lines of `--help` follow. */
  options: Shape
  /** Whether positional arguments are allowed. */
  hasArguments?: boolean
}

type Parsed<Shape extends Settings> = { values: z.infer<z.ZodObject<Shape>>; positionals: string[] }

/** Every script has it. */
export const helpOption = { help: flag('print this') }

/** The arguments of a script. `--help` prints its usage and ends the process; a wrong call is refused. */
export function readCommandLine<Shape extends Settings>(
  line: CommandLine<Shape>,
  args = process.argv.slice(2),
): Parsed<Shape> {
  let parsed: Parsed<Shape>
  try {
    parsed = parseCommandLine(line, args)
  } catch (error) {
    return refuseUsage((error as Error).message, line.usage)
  }
  if ((parsed.values as { help?: unknown }).help === true) {
    console.log(layOutHelp(line.usage))
    process.exit(0)
  }
  return parsed
}

/** @throws {Error} with one line for each wrong option. */
export function parseCommandLine<Shape extends Settings>(
  { options, hasArguments = false }: Omit<CommandLine<Shape>, 'usage'>,
  args: string[],
): Parsed<Shape> {
  const { values, positionals } = parse(optionsOf(options), hasArguments, args)
  const blank = Object.keys(values).find(name => values[name] === '')
  if (blank !== undefined) throw new Error(`the value of --${blank} is empty`)
  const checked = z.object(options).safeParse(values)
  if (checked.success) return { values: checked.data, positionals }
  const problems = checked.error.issues.map(issue => {
    const name = issue.path.join('.')
    return settingProblem(`--${name}`, issue, values[name])
  })
  throw new Error(problems.join('\n'))
}

function parse(options: ParseArgsOptionsConfig, allowPositionals: boolean, args: string[]) {
  try {
    return parseArgs({ args: joinNegatives(args), options, allowPositionals })
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split('. ')
    const hint = sentence.startsWith('Unexpected argument')
      ? "npm passes on only what follows ' -- ': npm run NAME -- --option value."
      : meantOption(sentence, Object.keys(options))
    throw new Error(`${sentence}. ${hint}`.trimEnd(), { cause: error })
  }
}

/** Ends a script after a wrong call: prints the problem and the usage; exit code 64 (EX_USAGE of sysexits.h). */
export function refuseUsage(problem: string, usage: readonly HelpPart[]): never {
  console.error(`${problem}\n\n${layOutHelp(usage)}`)
  process.exit(64)
}
