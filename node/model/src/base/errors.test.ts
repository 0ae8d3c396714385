import { expect, test } from 'vitest'
import { formatError, NodeError } from './errors.ts'

class PortTakenError extends NodeError {
  override readonly code = 'PORT_TAKEN'
}

test('a node error is printed as one line of message, hint and code', () => {
  const error = new PortTakenError('Port 8545 is taken.', { hint: 'Stop what listens there,\nor pass --port.' })
  expect(formatError(error)).toBe('Port 8545 is taken. Stop what listens there, or pass --port. [PORT_TAKEN]')
})

test('a node error carries its cause and says whether to retry', () => {
  const cause = new Error('ECONNREFUSED')
  const error = new PortTakenError('x', { hint: 'y', retryable: true, cause })
  expect(error.cause).toBe(cause)
  expect(error.retryable).toBe(true)
  expect(error.name).toBe('PortTakenError')
})

test('foreign errors and thrown values are printed as one line too', () => {
  expect(formatError(new TypeError('bad\nthing'))).toBe('bad thing [TypeError]')
  expect(formatError('plain')).toBe('plain')
})
