import { expect, test } from 'vitest'
import { startCli } from './cliProcess.ts'

test.each([
  ['sponsor', 1],
  ['status', 0],
])(
  '%s ends with status %d once nobody reads its output: only of a command that runs on it is a log',
  async (command, code) => {
    const cli = startCli([command, '--help'])
    cli.stopReading()
    expect((await cli.exited).code).toBe(code)
  },
)
