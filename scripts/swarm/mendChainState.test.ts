import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keptPath } from './keepChainState.ts'
import { mendChainState } from './mendChainState.ts'

const block = (number: number, timestamp: number) => ({
  header: { number: `0x${number.toString(16)}`, timestamp: `0x${timestamp.toString(16)}` },
  transactions: [] as { transaction: { hash: string } }[],
})
const bare = { accounts: {}, transactions: [] }

test('a chain that was resumed twice keeps the first block that it began with, and all others', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'waggle-chain-')), 'state.json')
  expect(await mendChainState(path)).toBe(0)
  const blocks = [block(2, 1_020), block(0, 1_500), block(0, 1_000), block(1, 1_010), block(0, 1_900)]
  await writeFile(path, JSON.stringify({ block: { number: '0x2', timestamp: '0x3fc' }, ...bare, blocks }))
  expect(await mendChainState(path)).toBe(1_020)
  const kept = JSON.parse(await readFile(path, 'utf8'))
  expect(kept).toEqual({
    block: { number: '0x2', timestamp: '0x3fc' },
    ...bare,
    blocks: [block(2, 1_020), block(0, 1_000), block(1, 1_010)],
  })
})

test('a state whose writing was cut off is replaced by its copy; without one the error says what to do', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'waggle-chain-')), 'state.json')
  const whole = { block: { number: '0x1', timestamp: '0x3f2' }, ...bare, blocks: [block(1, 1_010), block(0, 1_000)] }
  for (const torn of ['', JSON.stringify(whole).slice(0, -9)]) {
    await writeFile(path, torn)
    await expect(mendChainState(path)).rejects.toThrow('begin a new one with --fresh')
    await writeFile(keptPath(path), JSON.stringify(whole).slice(0, -1))
    await expect(mendChainState(path)).rejects.toThrow('begin a new one with --fresh')
    await writeFile(keptPath(path), JSON.stringify(whole))
    expect(await mendChainState(path)).toBe(1_010)
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(whole)
    await rm(keptPath(path))
  }
})

test('a state whose accounts are ahead of its blocks is replaced by its copy, if there is one', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'waggle-chain-')), 'state.json')
  const sent = (nonce: number) => ({ info: { transaction_hash: `0x${nonce}`, from: '0xa', nonce } })
  const mined = (number: number, timestamp: number, hash: string) => ({
    ...block(number, timestamp),
    transactions: [{ transaction: { hash } }],
  })
  const contract = { nonce: 9, code: '0x60' }
  const whole = {
    block: { number: '0x1', timestamp: '0x3f2' },
    accounts: { '0xa': { nonce: 1, code: '0x' }, '0xb': { nonce: 0, code: '0x' }, '0xc': contract },
    blocks: [block(0, 1_000), mined(1, 1_010, '0x0')],
    transactions: [sent(0)],
  }
  const ahead = { ...whole.accounts, '0xa': { nonce: 2, code: '0x' } }
  for (const transactions of [whole.transactions, [sent(0), sent(1)]]) {
    const torn = { ...whole, block: { number: '0x1', timestamp: '0x3fc' }, accounts: ahead, transactions }
    await writeFile(path, JSON.stringify(torn))
    expect(await mendChainState(path)).toBe(1_020)
    await writeFile(keptPath(path), JSON.stringify(whole))
    expect(await mendChainState(path)).toBe(1_010)
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(whole)
    await rm(keptPath(path))
  }
})
