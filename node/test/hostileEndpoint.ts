import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setInterval as every } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { encodeErrorResult } from 'viem'

export type Call = { id: number; method: string; params: unknown[] }
export type Answer = { id: unknown; result?: unknown; error?: unknown }

/** A key in the URL of each hostile endpoint, which some faults quote. */
export const KEY = 'k3y-0f-the-operator'

const MIB = 2 ** 20
const JSON_TYPE = { 'content-type': 'application/json' }

type Exchange = { calls: Call[]; isBatch: boolean; honest: () => Promise<Answer[]>; response: ServerResponse }

/** Answers an exchange wrongly, or not at all. */
type Fault = (exchange: Exchange) => unknown

const send = ({ isBatch, response }: Exchange, answers: unknown[]) =>
  response.writeHead(200, JSON_TYPE).end(JSON.stringify(isBatch ? answers : answers[0]))

/** Each call gets what is made of it. */
const each =
  (answerTo: (call: Call) => object): Fault =>
  exchange =>
    send(
      exchange,
      exchange.calls.map(call => ({ jsonrpc: '2.0', id: call.id, ...answerTo(call) })),
    )
const result = (value: unknown) => each(() => ({ result: value }))
const error = (fields: object) => each(() => ({ error: fields }))
/** The true answers to a request, changed. */
export const changed =
  (change: (answers: Answer[], calls: Call[]) => unknown[]): Fault =>
  async exchange =>
    send(exchange, change(await exchange.honest(), exchange.calls))
const text =
  (status: number, body: string, headers: Record<string, string> = JSON_TYPE): Fault =>
  ({ response }) =>
    response.writeHead(status, headers).end(body)
/** The text of one answer, however many calls there are, with `id` instead of the first call's id. */
const raw =
  (answer: string): Fault =>
  ({ calls, isBatch, response }) => {
    const answers = calls.map(({ id }) => answer.replaceAll('"id":0', `"id":${id}`))
    response.writeHead(200, JSON_TYPE).end(isBatch ? `[${answers}]` : answers[0])
  }

async function trickle({ response }: Exchange): Promise<void> {
  response.writeHead(200, JSON_TYPE)
  for await (const _ of every(100)) {
    if (response.destroyed) return
    response.write(' ')
  }
}

function flood({ response }: Exchange): void {
  const spaces = ' '.repeat(MIB)
  const more = () => {
    while (!response.destroyed && response.write(spaces));
  }
  response.writeHead(200, JSON_TYPE).on('drain', more)
  more()
}

const bomb = gzipSync(Buffer.alloc(256 * MIB, ' '))
const longError = `execution reverted ${'x'.repeat(MIB)} ${KEY}`
const escapes = `no\u001b[2J\u001b]0;title\u0007 \r\n2026-01-01 INFO forged ${KEY}\u202e`
const errorString = [{ type: 'error' as const, name: 'Error', inputs: [{ name: 'message', type: 'string' }] }]
const reasonOf = (reason: string) => encodeErrorResult({ abi: errorString, errorName: 'Error', args: [reason] })

/** Faults of an endpoint, by name. */
export const faults = {
  'no result': each(() => ({})),
  null: result(null),
  '0x': result('0x'),
  'a number above 256 bits': result(`0x1${'0'.repeat(64)}`),
  'the largest word': result(`0x${'f'.repeat(64)}`),
  'a bare number': result(7),
  'an object': result({ number: '0x1', toString: 1 }),
  'a list': result([]),
  'a list of null': result([null, [], 'x']),
  'a boolean': result(true),
  'an empty batch': text(200, '[]'),
  'another order': changed(answers => answers.toReversed()),
  'a missing answer': changed(answers => answers.slice(1)),
  'an answer twice': changed(answers => answers.map(() => answers[0])),
  'foreign ids': changed(answers => answers.map(answer => ({ ...answer, id: 1e9 }))),
  'ids as texts': changed(answers => answers.map(answer => ({ ...answer, id: `${answer.id}` }))),
  'an error without a code': error({ message: 'no' }),
  'an error without anything': error({}),
  'an error that is a text': each(() => ({ error: `no ${KEY}` })),
  'an error with an object as its message': error({ code: -32_603, message: { toString: 1, valueOf: 1 } }),
  'an error of 1 MiB': error({ code: -32_603, message: longError }),
  'an error with escapes and the key': error({ code: -32_603, message: escapes }),
  'a revert without data': error({ code: 3, message: 'execution reverted', data: null }),
  'a revert with a reason of 1 MiB': error({ code: 3, message: longError, data: reasonOf(longError) }),
  'a revert with escapes and the key': error({ code: 3, message: escapes, data: reasonOf(escapes) }),
  'a revert with an unknown error': error({ code: 3, message: 'execution reverted', data: '0xdeadbeef' }),
  'a missing method': error({ code: -32_601, message: 'the method does not exist' }),
  'a limit': error({ code: -32_005, message: 'rate limit exceeded' }),
  'one error for a batch': text(200, JSON.stringify({ id: null, error: { code: -32_600, message: 'no batches' } })),
  HTML: text(200, `<html>no project ${KEY}</html>`, { 'content-type': 'text/html' }),
  'an empty body': text(200, ''),
  'HTTP 429': text(429, `slow down ${KEY}`, { 'retry-after': '31536000' }),
  'HTTP 500': text(500, `no ${KEY}`),
  'HTTP 204': ({ response }) => response.writeHead(204).end(),
  'a redirect': ({ response }) => response.writeHead(307, { location: `http://127.0.0.1:1/${KEY}` }).end(),
  'a closed connection': ({ response }) => response.destroy(),
  'a body that is cut off': ({ response }) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' })
    response.write('{"jsonrpc":', () => response.destroy())
  },
  'a body without an end': flood,
  'a slow body': trickle,
  silence: () => undefined,
  '8 MiB': each(() => ({ result: `0x${'ab'.repeat(4 * MIB)}` })),
  'a gzip bomb': ({ response }) => response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(bomb),
  'not gzip': text(200, '{}', { ...JSON_TYPE, 'content-encoding': 'gzip' }),
  'another chain': changed((answers, calls) =>
    answers.map((answer, at) => (calls[at]?.method === 'eth_chainId' ? { ...answer, result: '0x1' } : answer)),
  ),
  'deep nesting': raw(`{"id":0,"result":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  'a deep error': raw(`{"id":0,"error":{"code":3,"message":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`),
  'keys twice': raw('{"id":0,"result":"0x1","result":null,"id":0}'),
  'a prototype': raw('{"__proto__":{"result":"0x1"},"id":0,"constructor":{"prototype":{"result":"0x1"}}}'),
} satisfies Record<string, Fault>

export type FaultName = keyof typeof faults
export const faultNames = Object.keys(faults) as FaultName[]

/** Whether a call counts, of those of a request. */
type Counts = (call: Call, calls: readonly Call[]) => boolean

/** An endpoint before a chain's, which can be made to fail. */
export async function startHostileEndpoint(rpcUrl: string) {
  let fault: Fault | null = null
  let isFaulty = (_: Call): boolean => true
  const asked = new Map<string, number>()
  const waiting = new Set<{ left: number; counts: Counts; resolve: () => void }>()
  let requests = 0
  const server = createServer(async (request, response) => {
    response.on('error', () => undefined)
    const body = Buffer.concat(await request.toArray().catch(() => []))
    if (body.length === 0) return response.destroy()
    requests += 1
    const parsed = JSON.parse(String(body)) as Call | Call[]
    const calls = [parsed].flat()
    for (const { method } of calls) asked.set(method, (asked.get(method) ?? 0) + 1)
    for (const one of waiting) {
      one.left -= calls.filter(call => one.counts(call, calls)).length
      if (one.left <= 0 && waiting.delete(one)) one.resolve()
    }
    const honest = async () =>
      [(await (await fetch(rpcUrl, { method: 'POST', headers: JSON_TYPE, body })).json()) as Answer | Answer[]].flat()
    const exchange = { calls, isBatch: Array.isArray(parsed), honest, response }
    try {
      if (fault !== null && calls.some(isFaulty)) await fault(exchange)
      else send(exchange, await honest())
    } catch {
      response.destroy() // the chain has stopped
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return {
    url: `http://user:${KEY}@127.0.0.1:${(server.address() as AddressInfo).port}/v2/${KEY}?key=${KEY}`,
    /** Fails in a way from now on, in requests with a call that is chosen; null: no longer. */
    fail(how: FaultName | Fault | null, choose = (_: Call) => true) {
      fault = typeof how === 'string' ? faults[how] : how
      isFaulty = choose
    },
    requests: () => requests,
    /** Calls so far, by method. */
    asked: (): ReadonlyMap<string, number> => asked,
    /** Resolves after so many further calls of a kind. */
    further: (left: number, counts: Counts = () => true) =>
      new Promise<void>(resolve => void waiting.add({ left, counts, resolve })),
    close,
    [Symbol.asyncDispose]: async () => close(),
  }
}
