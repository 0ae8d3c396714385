import { RpcRequestError } from 'viem'
import { createManualClock } from '#core/clock.ts'
import { createLogger } from '#core/logger.ts'
import { ChainUnreachableError } from '../chainErrors.ts'
import type { RpcCall } from './answers.ts'
import { createChainGuard } from './chainGuard.ts'
import type { Endpoint } from './endpoint.ts'

export const START_SEC = 1_700_000_000
export const BLOCK_SEC = 2
export const HEAD = { method: 'eth_getBlockByNumber', params: ['latest', false] }
export const VIEW = { method: 'eth_call', params: [{ to: '0x01', data: '0x' }, 'latest'] }

/** An endpoint's fault, until it is set to null again. */
export type Bend = ((call: RpcCall, honest: () => unknown) => unknown) | null

/** A chain with a block every two seconds, and endpoints that a test bends. */
export function setup(names = ['https://one.example'], holdMs = 60_000) {
  const clock = createManualClock(START_SEC * 1000)
  const lines: string[] = []
  const logger = createLogger({ write: line => lines.push(line), format: 'pretty', level: 'info', clock })
  const stop = new AbortController()
  const bends = new Map<string, Bend>()
  const asked: string[] = []
  const block = (number: number) => ({
    number: `0x${number.toString(16)}`,
    timestamp: `0x${(START_SEC + number * BLOCK_SEC).toString(16)}`,
    hash: `0x${number.toString(16).padStart(64, '0')}`,
  })
  const newest = () => Math.floor((clock.nowMs() / 1000 - START_SEC) / BLOCK_SEC) + 100
  const serve = ({ method, params }: RpcCall): unknown => {
    if (method === 'eth_chainId') return '0x7'
    if (method === 'eth_call') return `0x${'00'.repeat(32)}`
    const [tag] = params as [string]
    return block(tag === 'latest' ? newest() : Number(tag))
  }
  const endpoints = names.map(
    (origin): Endpoint => ({
      origin,
      async ask(call) {
        asked.push(origin)
        const bend = bends.get(origin)
        return bend ? bend(call, () => serve(call)) : serve(call)
      },
    }),
  )
  const modules = { endpoints, clock, logger, signal: stop.signal, holdMs }
  const guard = createChainGuard({ ...modules, identity: { chainId: 7, firstBlock: 1 } })
  /** Lets time pass in steps until the promise settles. */
  async function pass<T>(seconds: number, promise?: Promise<T>): Promise<T | 'waiting'> {
    let ended = false
    const settled = promise?.finally(() => {
      ended = true
    })
    settled?.catch(() => undefined)
    for (let at = 0; at < seconds * 4 && !ended; at++) {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      await new Promise(resolve => setImmediate(resolve))
      if (!ended) clock.advance(250)
    }
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    return ended && settled ? settled : 'waiting'
  }
  const said = () => lines.map(line => line.slice(line.indexOf(' ') + 1).replace(/ +/, ' '))
  const bend = (how: Bend, name = names[0] ?? '') => bends.set(name, how)
  return { clock, guard, stop, bend, pass, said, asked, newest, block }
}

export const fault = (reason: string) => () => {
  throw new ChainUnreachableError(reason, { hint: 'wait', retryable: true })
}

export const reverting = (data?: string) => () => {
  const error = { code: 3, message: 'execution reverted', data }
  throw new RpcRequestError({ body: {}, url: 'https://one.example', error })
}
