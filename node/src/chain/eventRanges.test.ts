import { expect, test } from 'vitest'
import { AskedTooOftenError, ChainUnreachableError, TooMuchAskedError } from './chainErrors.ts'
import { type BlockRange, eventRanges, RARE_RANGE_BLOCKS } from './eventRanges.ts'

/** Blocks of events that an endpoint with limits gives, and the blocks of each request. */
async function readWith(refuse: (blocks: number, from: number) => Error | false, last = 10_000, most?: number) {
  const asked: number[] = []
  const read = async ({ fromBlock, toBlock }: BlockRange) => {
    const blocks = Number(toBlock - fromBlock) + 1
    asked.push(blocks)
    const refused = refuse(blocks, Number(fromBlock))
    if (refused) throw refused
    return Array.from({ length: blocks }, (_, at) => Number(fromBlock) + at)
  }
  let [next, isInOrder] = [1, true]
  const span = { first: 1n, last: BigInt(last), ...(most !== undefined && { most }) }
  for await (const { events } of eventRanges({ rpcUrl: 'http://scene' }, span, read))
    for (const block of events) isInOrder &&= block === next++
  return { asked, isWhole: isInOrder && next === last + 1 }
}

const tooMuch = new TooMuchAskedError('too many blocks', { hint: '' })
const outage = new ChainUnreachableError('a word of its own', { hint: '' })

test('an endpoint that takes 1,000 blocks is read in few more requests than it needs', async () => {
  const { asked, isWhole } = await readWith(blocks => blocks > 1_000 && tooMuch)
  expect(isWhole).toBe(true)
  expect(asked.length).toBeLessThan(20)
})

test('blocks full of events are read one by one, and the others in ranges again', async () => {
  const { asked, isWhole } = await readWith((blocks, from) => blocks > 1 && from < 40 && tooMuch)
  expect(isWhole).toBe(true)
  expect(asked.filter(blocks => blocks === 1)).toHaveLength(39)
  expect(Math.max(...asked.slice(-10))).toBeGreaterThan(1_000)
})

test('a refusal in unknown words is taken for a limit down to 100 blocks, and then for an outage', async () => {
  expect(await readWith(blocks => blocks > 100 && outage)).toMatchObject({ isWhole: true })
  await expect(readWith(blocks => blocks > 99 && outage)).rejects.toBe(outage)
  await expect(readWith(() => tooMuch)).rejects.toBe(tooMuch)
})

test('an endpoint that was asked too often is not asked more', async () => {
  let asked = 0
  const tooOften = new AskedTooOftenError('rate limit', { hint: '' })
  const read = readWith(() => {
    asked += 1
    return tooOften
  })
  await expect(read).rejects.toBe(tooOften)
  expect(asked).toBe(1)
})

test('rare events are read in ranges that grow', async () => {
  const { asked, isWhole } = await readWith(() => false, 3_000_000, RARE_RANGE_BLOCKS)
  expect(isWhole).toBe(true)
  expect(Math.max(...asked)).toBe(RARE_RANGE_BLOCKS)
  expect(asked.length).toBeLessThan(40)
})

test('each range says how far the read is', async () => {
  const lines: string[] = []
  const chain = { rpcUrl: 'http://scene', progress: (line: string) => lines.push(line) }
  for await (const _ of eventRanges(chain, { first: 1n, last: 3_000n }, async () => []));
  expect(lines).toEqual([2_000, 3_000].map(block => `Reading the events of http://scene: block ${block} of 3000.`))
})
