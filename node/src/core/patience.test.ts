import { expect, test } from 'vitest'
import { createManualClock } from './clock.ts'
import { createPatience } from './patience.ts'

const LIMIT_MS = 120_000

function openScene() {
  const clock = createManualClock(1_000)
  const said: string[] = []
  const patience = createPatience(LIMIT_MS, clock, line => said.push(line))
  /** A call whose answer takes a time. */
  async function call(ms: number): Promise<string> {
    const answer = Promise.withResolvers<string>()
    const result = patience.waitFor('https://slow.example', 'eth_getLogs', () => answer.promise)
    result.catch(() => {})
    clock.advance(ms)
    answer.resolve('logs')
    return result
  }
  return { clock, said, patience, call }
}

test('a command over an endpoint whose answers take 29 s says what it waits for, and ends within three minutes', async () => {
  const { said, call, clock } = openScene()
  const beganMs = clock.nowMs()
  const calls = async () => {
    for (;;) expect(await call(29_000)).toBe('logs')
  }
  await expect(calls()).rejects.toMatchObject({
    code: 'TOO_SLOW',
    retryable: true,
    message: 'https://slow.example answers too slowly: waiting for it took more than 120 s.',
    hint: expect.stringContaining('WAGGLE_PATIENCE'),
  })
  expect(clock.nowMs() - beganMs).toBeLessThan(180_000)
  expect(said[0]).toBe(
    'Waiting for https://slow.example (eth_getLogs): its slow answers have taken 27 s of at most 120 s.',
  )
  expect(said.length).toBeLessThan(4)
})

test('a single call is named after ten seconds, before it is answered', async () => {
  const { said, patience, clock } = openScene()
  void patience.waitFor('https://slow.example', 'eth_call', () => new Promise(() => {}))
  clock.advance(9_999)
  await Promise.resolve()
  expect(said).toEqual([])
  clock.advance(1)
  await Promise.resolve()
  expect(said).toEqual([
    'Waiting for https://slow.example (eth_call): its slow answers have taken 8 s of at most 120 s.',
  ])
})

test('thousands of quick answers cost nothing, and a hundred that come together after a while count once', async () => {
  const { said, call, patience, clock } = openScene()
  for (let i = 0; i < 3_000; i++) await call(1_500)
  const answer = Promise.withResolvers<void>()
  const together = Array.from({ length: 100 }, () => patience.waitFor('https://one.example', 'x', () => answer.promise))
  clock.advance(9_000)
  answer.resolve()
  await Promise.all(together)
  expect(said).toEqual([])
})

test('work that would wait for ever is told when the limit is used up', async () => {
  const { patience, call, clock } = openScene()
  await call(62_000)
  const forever = patience.waitFor(
    'https://slow.example',
    'registration',
    used => new Promise((_, reject) => used.addEventListener('abort', () => reject(used.reason))),
  )
  let isOver = false
  const over = forever.catch(error => {
    isOver = true
    return error
  })
  clock.advance(61_999)
  await Promise.resolve()
  expect(isOver).toBe(false)
  clock.advance(1)
  expect(await over).toMatchObject({ code: 'TOO_SLOW' })
})

test('a server that is too slow uses up nothing of another', async () => {
  const { patience, call } = openScene()
  await expect(call(200_000)).rejects.toMatchObject({ code: 'TOO_SLOW' })
  await expect(call(0)).rejects.toMatchObject({ code: 'TOO_SLOW' })
  expect(await patience.waitFor('https://quick.example', 'eth_call', async () => 'found')).toBe('found')
})

test('an answer that fails is passed on', async () => {
  const { patience } = openScene()
  const failing = patience.waitFor('https://one.example', 'x', () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
})

test('long work says at most every ten seconds how far it is', () => {
  const { said, patience, clock } = openScene()
  for (let block = 0; block <= 25; block++, clock.advance(1_000)) patience.progress(`block ${block}`)
  expect(said).toEqual(['block 10', 'block 20'])
})
