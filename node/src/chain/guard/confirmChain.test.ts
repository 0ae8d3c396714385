import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { ChainUnreachableError } from '../chainErrors.ts'
import { confirmChain } from './confirmChain.ts'
import type { Endpoint } from './endpoint.ts'

const hashOf = (byte: string) => `0x${byte.repeat(32)}`
const [own, other] = [hashOf('aa'), hashOf('bb')]

/** An endpoint that answers with these hashes, and the last one from then on; null: it does not answer. */
function endpointWith(...hashes: (string | null)[]): Endpoint {
  let asked = 0
  return {
    origin: 'https://one.example',
    async ask() {
      const hash = hashes[Math.min(asked++, hashes.length - 1)]
      if (hash) return { number: numberToHex(7), timestamp: '0x1', hash }
      throw new ChainUnreachableError('down', { hint: 'wait', retryable: true })
    },
  }
}

/** Lets time pass until it is certain. */
async function confirmed(
  knownHash: string | null,
  endpoints: Endpoint[],
  others: Endpoint[] = [],
  wait: { patienceMs: number; apartMs?: number } = { patienceMs: 60_000 },
) {
  const clock = createManualClock()
  const waited = confirmChain({ endpoints, others, firstBlock: 7, knownHash }, { clock, ...wait })
  let isOver = false
  waited
    .catch(() => undefined)
    .finally(() => {
      isOver = true
    })
  while (!isOver) {
    await new Promise(resolve => setImmediate(resolve))
    clock.advance(1_000)
  }
  return { hash: await waited, seconds: clock.nowMs() / 1000 }
}

test('the chain of before needs one answer of any endpoint', async () => {
  expect((await confirmed(own, [endpointWith(own)])).seconds).toBeLessThan(3)
  expect((await confirmed(own, [endpointWith(other), endpointWith(own)])).hash).toBe(own)
})

test('false answers about the chain, for less than a minute, change nothing', async () => {
  expect((await confirmed(own, [endpointWith(other, other, other, own)])).hash).toBe(own)
})

test('another chain is taken once it has been named for a minute', async () => {
  const { hash, seconds } = await confirmed(own, [endpointWith(other)])
  expect(hash).toBe(other)
  expect(seconds).toBeGreaterThanOrEqual(60)
  expect(seconds).toBeLessThan(70)
})

test.each(['others', 'endpoints'])(
  'while one of the %s does not answer, or names a third chain, no other is taken',
  async where => {
    const third = hashOf('cc')
    const quiet = endpointWith(...Array(40).fill(null), ...Array(40).fill(where === 'others' ? null : third), own)
    const served = where === 'others' ? [endpointWith(other)] : [endpointWith(other), quiet]
    const others = where === 'others' ? [quiet] : []
    const { hash, seconds } = await confirmed(own, served, others)
    expect(hash).toBe(own)
    expect(seconds).toBeGreaterThan(300)
  },
)

test('a command ends if endpoints stay away or apart, and names those that do not answer', async () => {
  const wait = { patienceMs: 2_000, apartMs: 2_000 }
  const silent = { ...endpointWith(null), origin: 'https://two.example' }
  await expect(confirmed(own, [endpointWith(other), silent], [], wait)).rejects.toMatchObject({
    message:
      'The chain is another than at the last start, but that is not certain: no answer from https://two.example.',
    hint: expect.stringContaining('out of --rpc'),
    retryable: true,
  })
  const third = endpointWith(hashOf('cc'))
  await expect(confirmed(own, [endpointWith(other), third], [], wait)).rejects.toThrow('name different chains')
  // Away for one answer.
  expect((await confirmed(own, [endpointWith(other), endpointWith(null, other)], [], wait)).hash).toBe(other)
})

test('at the first start two answers must agree', async () => {
  expect((await confirmed(null, [endpointWith(other, own)])).hash).toBe(own)
})

test('without an answer there is no chain', async () => {
  await expect(confirmed(own, [endpointWith(null)])).rejects.toThrow(ChainUnreachableError)
})

test('an endpoint that names another chain each time is given up, with pauses between its answers', async () => {
  const names = Array.from({ length: 20 }, (_, at) => hashOf(String(10 + at)))
  const starting = confirmed(null, [endpointWith(...names)])
  await expect(starting).rejects.toThrow('names another block 7 each time')
  await expect(confirmed(own, [endpointWith(...names)])).rejects.toThrow(ChainUnreachableError)
})
