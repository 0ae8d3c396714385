import { join } from 'node:path'
import { createStream } from 'rotating-file-stream'
import { createLogger, type Logger } from '#core/logger.ts'
import { urlSecrets } from '#core/redactUrls.ts'
import type { Identity } from '#store/identity.ts'
import { LOG_FILE } from './options/commonSettings.ts'
import type { Config } from './options/config.ts'

/** Lines have the time that others on this machine see, also after its clock was set back. */
const wallClock = { nowMs: () => Date.now() }

/**
 * The log of a long-running command: on stdout and, if requested, in a rotated file of the folder.
 *
 * @param secrets - texts to redact: a server may repeat them in its answers.
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
  const options = { write, format, level: config['log-level'], clock: wallClock, secrets }
  return createLogger(options, format === 'json' ? { role: of.role, name, peerId } : {})
}

function openFile(data: string) {
  const { path, megabytes, files } = LOG_FILE
  const file = createStream(path, { path: data, size: `${megabytes}M`, rotate: files, mode: 0o600 })
  // A full disk must not end a peer: after a failure the stream discards what is written.
  file.once('error', error =>
    console.error(`The log is not written to ${join(data, path)} until the next start: ${error.message}`),
  )
  return file.on('error', () => {})
}
