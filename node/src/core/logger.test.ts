import { expect, test } from 'vitest'
import { createManualClock } from './clock.ts'
import { createLogger, type LoggerOptions } from './logger.ts'

function record(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = []
  const logger = createLogger({
    write: line => lines.push(line),
    format: 'json',
    level: 'info',
    clock: createManualClock(1_700_000_000_000),
    ...options,
  })
  return { lines, logger }
}

test('a line is one JSON object with time, level, message and fields', () => {
  const { lines, logger } = record()
  logger.child({ role: 'solver' }).info('committed', { round: 3, wei: 5n })
  expect(lines.map(line => JSON.parse(line))).toEqual([
    { at: '2023-11-14T22:13:20.000Z', level: 'info', message: 'committed', role: 'solver', round: 3, wei: '5' },
  ])
})

test('lines below the level are dropped', () => {
  const { lines, logger } = record({ level: 'warn' })
  logger.info('no')
  logger.warn('yes')
  expect(lines).toHaveLength(1)
})

test('keys are redacted by name and by value, and peer keys are not', () => {
  const { lines, logger } = record({ secrets: ['deadbeef'] })
  logger.info('started with deadbeef', { privateKey: 'a', accountKey: 'b', nested: { secret: 'c' }, peerKey: '0x12' })
  logger.error('failed', { error: new Error('key deadbeef refused') })
  const text = lines.join('\n')
  expect(text).not.toContain('deadbeef')
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    privateKey: '[redacted]',
    accountKey: '[redacted]',
    nested: { secret: '[redacted]' },
    peerKey: '0x12',
  })
})

test('bytes are counted, not printed', () => {
  const { lines, logger } = record()
  logger.info('x', { bytes: new Uint8Array(64), buffer: Buffer.alloc(32) })
  expect(JSON.parse(lines[0] as string)).toMatchObject({ bytes: '[64 bytes]', buffer: '[32 bytes]' })
})

test('the pretty form is one line', () => {
  const { lines, logger } = record({ format: 'pretty' })
  logger.warn('two\nlines', { round: 1, error: new Error('bad\nthing') })
  expect(lines).toEqual(['22:13:20 WARN  two lines round=1 error=Error: bad thing'])
})

test('the pretty form is for people: lists of records are counted, and fractions have four digits', () => {
  const fields = { kl: 0.00006096493248827455, loss: 12.5, seconds: 3, levels: [{ level: 2 }, { level: 3 }], at: ['a'] }
  const { lines, logger } = record({ format: 'pretty' })
  logger.info('update', fields)
  expect(lines).toEqual(['22:13:20 INFO  update kl=0.00006096 loss=12.5 seconds=3 levels=[2 records] at=["a"]'])
  const exact = record()
  exact.logger.info('update', fields)
  expect(JSON.parse(exact.lines[0] as string)).toMatchObject(fields)
})

test('values from a peer neither fill the log nor control the terminal', () => {
  const reason = `\u001b[2J\u009b1A\u202e${'x'.repeat(1 << 20)}`
  const error = new Error(reason)
  for (const format of ['pretty', 'json'] as const) {
    const { lines, logger } = record({ format })
    logger.info('refused', { reason, nested: { reason }, error })
    expect(lines[0]?.length).toBeLessThan(10_000)
    expect(lines[0]).not.toMatch(/[\p{Cc}\u202e]/u)
    const long = record({ format, secrets: ['deadbeef'] })
    long.logger.info('cut', { reason: `${'x'.repeat(1_996)}deadbeef` })
    expect(long.lines[0]).not.toContain('dead')
  }
})
