import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { printFailure, runCommandLine } from './commandLine.ts'

/** Cache of compiled modules, which a new installation clears. Without it a command spends half of its time compiling. */
const COMPILED = join(import.meta.dirname, '../../../node_modules/.cache/waggle-compiled')

/** A command exits after its work, even if a defect leaves a handle open. */
const LINGER_MS = 5_000

// A reader such as head may close the pipe. For a running peer a closed log is a failure.
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE' || process.argv[2] === 'start') throw error
  process.exit()
})
process.on('uncaughtException', error => {
  printFailure(error)
  process.exit()
})
enableCompileCache(COMPILED)
await runCommandLine(process.argv.slice(2)).catch(printFailure)
setTimeout(() => process.exit(), LINGER_MS).unref()
