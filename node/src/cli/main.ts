import { parseArgs } from 'node:util'
import { formatError, NodeError } from '#core/errors.ts'
import type { Command } from './command.ts'
import { admit } from './commands/admit.ts'
import { evaluate } from './commands/evaluate.ts'
import { init } from './commands/init.ts'
import { start } from './commands/start.ts'
import { status } from './commands/status.ts'
import { UsageError } from './usageError.ts'

const commands: Record<string, Command> = { init, start, status, admit, eval: evaluate }

const usage = `npm run waggle -- COMMAND [OPTIONS]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`)
  .join('\n')}

npm run waggle -- COMMAND --help says more.`

async function main(argv: string[]): Promise<void> {
  const [name = '--help', ...rest] = argv
  if (name === '--help' || name === 'help') return console.log(usage)
  const command = commands[name]
  if (command === undefined)
    throw new UsageError(`No command ${name}.`, { hint: `There are: ${Object.keys(commands).join(', ')}.` })
  const { values, positionals } = parse(command, rest)
  if (values.help === true) return console.log(command.usage)
  await command.run(values, positionals)
}

function parse(command: Command, argv: string[]): ReturnType<typeof parseArgs> {
  try {
    const options = { ...command.options, help: { type: 'boolean' } } as const
    return parseArgs({ args: argv, options, allowPositionals: true })
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { hint: 'See --help.', cause })
  }
}

main(process.argv.slice(2)).catch(error => {
  console.error(formatError(error))
  // 64: used wrongly (sysexits.h); 75: trying again may help; 1: anything else.
  process.exitCode = error instanceof UsageError ? 64 : error instanceof NodeError && error.retryable ? 75 : 1
})
