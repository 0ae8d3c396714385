import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createLogger } from '#core/logger.ts'
import { ChainUnreachableError, ContractMissingError, WrongChainError, WrongContractError } from '../chainErrors.ts'
import type { Endpoint } from './endpoint.ts'
import { awaitAnswer, awaitChain, awaitContracts, requireChain } from './requireChain.ts'

const deployment = { chainId: 7, network: 'test' }

/** Endpoints by the chain that they say they serve; null does not answer. */
function setup(...serves: (number | null)[]) {
  const clock = createManualClock()
  const said: string[] = []
  const logger = createLogger({ write: line => said.push(line), format: 'pretty', level: 'info', clock })
  const stop = new AbortController()
  const endpoints = serves.map(
    (_, at): Endpoint => ({
      origin: `https://${at}.example`,
      async ask() {
        const chainId = serves[at]
        if (typeof chainId === 'number') return `0x${chainId.toString(16)}`
        throw new ChainUnreachableError('no connection', { hint: 'wait', retryable: true })
      },
    }),
  )
  const awaited = () => awaitChain(endpoints, deployment, { clock, logger, signal: stop.signal })
  async function pass(seconds: number): Promise<void> {
    for (let at = 0; at < seconds; at++) {
      await new Promise(resolve => setImmediate(resolve))
      clock.advance(1_000)
    }
    await new Promise(resolve => setImmediate(resolve))
  }
  return { ...{ endpoints, serves, said, stop, awaited, pass }, wait: { clock, logger, signal: stop.signal } }
}

test('a peer waits for an endpoint that serves another chain when it starts, and says so once', async () => {
  const { endpoints, serves, said, awaited, pass } = setup(1)
  const serving = awaited()
  await pass(45)
  serves[0] = 7
  await pass(5)
  expect(await serving).toEqual(endpoints)
  expect(said.map(line => line.slice(9))).toEqual([
    'WARN  waiting for the chain endpoint=https://0.example reason=it serves the chain with id 1, not 7',
  ])
})

test('a peer ends where every endpoint serves another chain for a minute', async () => {
  const { awaited, pass } = setup(1, 8)
  const refused = expect(awaited()).rejects.toThrow(WrongChainError)
  await pass(65)
  await refused
})

test('a peer goes by the endpoints that serve the chain, and waits while one may that does not answer', async () => {
  const some = setup(1, 7)
  expect(await some.awaited()).toEqual([some.endpoints[1]])
  const { endpoints, serves, awaited, pass } = setup(1, null)
  const serving = awaited()
  await pass(600)
  serves[1] = 7
  await pass(5)
  expect(await serving).toEqual([endpoints[1]])
})

test('a peer waits for an endpoint that lags behind the deployment, and ends where there is no contract for a minute', async () => {
  const { said, pass, wait } = setup(7)
  let lags = true
  const check = async () => {
    if (lags) throw new ContractMissingError('There is no Rounds.', { hint: 'deploy' })
  }
  const found = awaitContracts(check, wait)
  await pass(45)
  lags = false
  await pass(5)
  await found
  expect(said.map(line => line.slice(9))).toEqual(['WARN  waiting for the chain reason=There is no Rounds.'])
  lags = true
  const refused = expect(awaitContracts(check, wait)).rejects.toThrow(ContractMissingError)
  await pass(65)
  await refused
})

test('a peer outlives an endpoint that says for a moment that contracts are others, and ends where they are for half a minute', async () => {
  const { said, pass, wait } = setup(7)
  let lies = true
  const check = async () => {
    if (lies) throw new WrongContractError('These addresses hold other contracts.', { hint: 'take the record' })
  }
  const found = awaitContracts(check, wait)
  await pass(12)
  lies = false
  await pass(5)
  await found
  expect(said).toHaveLength(1)
  lies = true
  const refused = expect(awaitContracts(check, wait)).rejects.toThrow(WrongContractError)
  await pass(35)
  await refused
})

test('its wait ends with the node', async () => {
  const { stop, awaited, pass } = setup(1)
  const ended = expect(awaited()).rejects.toThrow('stop')
  await pass(1)
  stop.abort(new Error('stop'))
  await ended
})

test('a command refuses at once an endpoint that serves another chain', async () => {
  await expect(requireChain(setup(7, 1).endpoints, deployment)).rejects.toThrow(WrongChainError)
  await requireChain(setup(7, null).endpoints, deployment)
})

test('a peer that was on the chain before waits for an answer, says so once, and for nothing else', async () => {
  const { said, pass, wait } = setup()
  const failures: Error[] = [
    new ChainUnreachableError('no connection', { hint: 'wait', retryable: true }),
    new ChainUnreachableError('no answer', { hint: 'wait', retryable: true }),
  ]
  const connect = async () => {
    const failure = failures.shift()
    if (failure !== undefined) throw failure
    return 'connected'
  }
  const connected = awaitAnswer(connect, wait)
  await pass(10)
  expect(await connected).toBe('connected')
  expect(said.map(line => line.slice(9))).toEqual(['WARN  waiting for the chain reason=no connection'])

  failures.push(new WrongChainError('another chain', { hint: 'pass its URL' }))
  await expect(awaitAnswer(connect, wait)).rejects.toThrow(WrongChainError)
})
