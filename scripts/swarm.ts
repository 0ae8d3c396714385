/** `npm run swarm`: a whole swarm on this machine. See `--help`. */
import { layOutHelp } from '../node/src/cli/layOutHelp.ts'
import { parseOptions, usage } from './swarm/options.ts'
import { stopRequests } from './swarm/processes/stopRequests.ts'
import { runSwarm } from './swarm/runSwarm.ts'

let options: ReturnType<typeof parseOptions>
try {
  options = parseOptions(process.argv.slice(2))
} catch (error) {
  console.error(`${(error as Error).message}\n\nSee npm run swarm -- --help.`)
  process.exit(64)
}
if (options.help) {
  console.log(layOutHelp(usage))
  process.exit(0)
}

const stop = stopRequests()
try {
  await runSwarm(options, stop)
} catch (error) {
  if (!stop.signal.aborted) {
    console.error(`swarm: ${(error as Error).message}`)
    process.exitCode = 1
  }
}
// A handle that is still open, such as a half-closed socket, must not keep a stopped swarm on the terminal.
process.exit()
