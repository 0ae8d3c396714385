import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Arguments of a script, as `parseArgs` of Node reads them. `--help` prints the usage and ends it; what it does not know is refused. */
export function readCommandLine<T extends ParseArgsConfig>(usage: string, config: T): ReturnType<typeof parseArgs<T>> {
  let parsed: ReturnType<typeof parseArgs<T>>
  try {
    parsed = parseArgs(config)
  } catch (error) {
    return refuseUsage((error as Error).message, usage)
  }
  if ((parsed.values as { help?: unknown }).help === true) {
    console.log(usage)
    process.exit(0)
  }
  return parsed
}

/** Ends a script that was called wrongly: what is wrong, how it is called, and exit code 64 (EX_USAGE of sysexits.h). */
export function refuseUsage(problem: string, usage: string): never {
  console.error(`${problem}\n\n${usage}`)
  process.exit(64)
}

/** An option's text as a whole number. */
export function readCount(name: string, text: string, usage: string, least = 1): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < least || text.trim() === '')
    refuseUsage(`--${name} takes a whole number from ${least}, not '${text}'`, usage)
  return count
}
