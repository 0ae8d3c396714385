import { join } from 'node:path'
import { createStream } from 'rotating-file-stream'
import { systemClock } from '#core/clock.ts'
import { createLogger, type Logger } from '#core/logger.ts'
import { urlSecrets } from '#core/redactUrls.ts'
import type { Identity } from '#store/identity.ts'
import type { Config } from './options/config.ts'

const text = { type: 'string' } as const

const LOG_FILE = 'log/waggle.log'
/** Of one file, and of all: a few weeks at level info. */
const FILE_SIZE = '10M'
const FILES = 5

export const logOptions = { 'log-level': text, 'log-format': text, 'log-file': { type: 'boolean' } } as const
export const logUsage = `  --log-level LEVEL   debug, info, warn or error (default info)
  --log-format FORMAT pretty or json (default pretty)
  --log-file          also write the log to ${LOG_FILE} in the folder, ${FILES} files of ${FILE_SIZE}B`

/**
 * The log of what runs until it is stopped, on stdout and, where it is asked for, in a file of the folder that is rotated.
 *
 * @param secrets - that a server may put into what it answers.
 */
export function openLog(
  config: Config,
  { accountKey, name, peerId }: Identity,
  of: { role: string; rpcUrl: string; secrets?: readonly string[] },
): Logger {
  const file = config['log-file'] ? openFile(config.data) : null
  const format = config['log-format']
  const write = (line: string) => {
    console.log(line)
    file?.write(`${line}\n`)
  }
  const secrets = [accountKey, accountKey.slice(2), ...urlSecrets(of.rpcUrl), ...(of.secrets ?? [])]
  const options = { write, format, level: config['log-level'], clock: systemClock, secrets }
  return createLogger(options, format === 'json' ? { role: of.role, name, peerId } : {})
}

function openFile(data: string) {
  const file = createStream(LOG_FILE, { path: data, size: FILE_SIZE, rotate: FILES, mode: 0o600 })
  // A full disk must not end a peer. Once it has failed, the stream takes what is written and drops it.
  file.once('error', error =>
    console.error(`The log is not written to ${join(data, LOG_FILE)} until the next start: ${error.message}`),
  )
  return file.on('error', () => {})
}
