import type { Clock } from './clock.ts'

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
type LogLevel = (typeof logLevels)[number]
export type LogFields = Record<string, unknown>

export type Logger = {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** The same log with `fields` on every line. */
  child(fields: LogFields): Logger
}

export type LoggerOptions = {
  /** Takes one line, without its newline. */
  write: (line: string) => void
  format: 'json' | 'pretty'
  level: LogLevel
  clock: Pick<Clock, 'nowMs'>
  /** Values that must never be logged, such as the account key in hexadecimal: redacted wherever they appear. */
  secrets?: readonly string[]
}

/** Field names whose values are never logged. `peerKey` is public and stays. */
const SECRET_NAME = /^(private|secret|account)?_?key$|private_?key|secret|mnemonic|passw|api_?key|authorization/i

export function createLogger(options: LoggerOptions, bound: LogFields = {}): Logger {
  const minimum = logLevels.indexOf(options.level)
  const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (logLevels.indexOf(level) < minimum) return
    const atIso = new Date(options.clock.nowMs()).toISOString()
    const { format, secrets = [] } = options
    const line = render(format, plainer(secrets), level, atIso, message, { ...bound, ...fields })
    options.write(hide(line, secrets))
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: fields => createLogger(options, { ...bound, ...fields }),
  }
}

/** A logger that discards everything. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
}

type Plain = (name: string, value: unknown) => unknown

function render(
  format: 'json' | 'pretty',
  plain: Plain,
  level: LogLevel,
  at: string,
  message: string,
  fields: LogFields,
): string {
  if (format === 'json') return JSON.stringify({ at, level, message, ...fields }, plain)
  const parts = Object.entries(fields).map(([name, value]) => {
    const shown = readable(plain(name, value))
    return `${shortened(name)}=${typeof shown === 'string' ? shown : JSON.stringify(shown, plain)}`
  })
  return [at.slice(11, 19), level.toUpperCase().padEnd(5), shortened(message), ...parts].join(' ')
}

/** For people: a list of records by its length, and fractions with four digits. JSON has both in full. */
function readable(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isInteger(value)) return Number(value.toPrecision(4))
  const isList = Array.isArray(value) && value.some(item => typeof item === 'object' && item !== null)
  return isList ? `[${value.length} records]` : value
}

/** Most characters of a text in a field: a peer may have written it. */
const MAX_TEXT = 2_000

/** A text that is safe for a terminal: one line, without control sequences, truncated. */
function shortened(text: string): string {
  const shown = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text
  return shown.replace(/[\r\n]+/g, ' ').replace(/\p{Cc}|\p{Bidi_Control}/gu, '\ufffd')
}

/** Values as they are logged. Secrets are redacted first: a truncated one would not be found. */
function plainer(secrets: readonly string[]): Plain {
  return (name, value) => {
    if (SECRET_NAME.test(name)) return '[redacted]'
    if (typeof value === 'string') return shortened(hide(value, secrets))
    if (typeof value === 'bigint') return value.toString()
    if (value instanceof Error) return shortened(hide(describeError(value), secrets))
    // JSON would spell out every byte, and bytes may be a key.
    if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`
    if (isBufferJson(value)) return `[${value.data.length} bytes]`
    return value
  }
}

/** `Buffer.toJSON` has run before a replacer sees the value. */
function isBufferJson(value: unknown): value is { data: unknown[] } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'data' in value &&
    'type' in value &&
    value.type === 'Buffer' &&
    Array.isArray(value.data)
  )
}

function describeError(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? ` [${error.code}]` : ''
  const cause = error.cause instanceof Error ? `; cause: ${describeError(error.cause)}` : ''
  return `${error.name}: ${error.message}${code}${cause}`
}

function hide(line: string, secrets: readonly string[]): string {
  let hidden = line
  for (const secret of secrets) if (secret.length > 0) hidden = hidden.replaceAll(secret, '[redacted]')
  return hidden
}
