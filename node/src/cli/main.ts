import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { isDiskFull } from '#store/diskSpace.ts'
import { printFailure, runCommandLine } from './commandLine.ts'
import { isStopping } from './untilInterrupted.ts'

/** Cache of compiled modules, which a new installation clears. Without it a command spends half of its time compiling. */
const COMPILED = join(import.meta.dirname, '../../../node_modules/.cache/waggle-compiled')

/** A command exits after its work, even if a defect leaves a handle open. */
const LINGER_MS = 5_000
/** Time for a signal to be heard. */
const SIGNAL_MS = 100

/** Commands that run until they are stopped: what they print is a log. */
const running: readonly unknown[] = ['start', 'join', 'fleet', 'bootnode', 'sponsor']

const FULL =
  'The log is not written, because its disk is full. The process continues, and logs again once there is space.'
let isToldFull = false
const isRunning = running.includes(process.argv[2])
/** Of a terminal that was closed. That ends the process in order, unless it ran in the background; then it runs on. */
const isHungUp = ({ code }: NodeJS.ErrnoException, { isTTY }: NodeJS.WriteStream) => code === 'EIO' && isTTY
const isLostLine = (error: Error, stream: NodeJS.WriteStream) =>
  isRunning && (isDiskFull(error) || isHungUp(error, stream))
const isUnread = ({ code }: NodeJS.ErrnoException) => code === 'EPIPE'
/** A signal that ended the log's reader, such as `tee`, comes here too, but is heard only in a later turn. */
const failUnlessStopping = (error: Error) =>
  setTimeout(() => {
    if (!isStopping()) throw error
  }, SIGNAL_MS)

// A reader such as head may close the pipe. For a command that runs on, a closed log is a failure; one on a full disk or a closed terminal is not.
process.stdout.on('error', error => {
  if (isLostLine(error, process.stdout)) {
    if (!isToldFull && isDiskFull(error)) console.error(FULL)
    isToldFull = true
    return
  }
  if (!isUnread(error)) throw error
  if (!isRunning) process.exit()
  failUnlessStopping(error)
})
process.stderr.on('error', error => {
  if (isLostLine(error, process.stderr)) return
  if (!isRunning || !isUnread(error)) throw error
  failUnlessStopping(error)
})
process.on('uncaughtException', error => {
  printFailure(error)
  process.exit()
})
enableCompileCache(COMPILED)
await runCommandLine(process.argv.slice(2)).catch(printFailure)
setTimeout(() => process.exit(), LINGER_MS).unref()
