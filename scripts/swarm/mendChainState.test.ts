import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keptPath } from './keepChainState.ts'
import { mendChainState } from './mendChainState.ts'

const block = (number: number, timestamp: number) => ({
  header: { number: `0x${number.toString(16)}`, timestamp: `0x${timestamp.toString(16)}` },
})

test('a chain that was resumed twice keeps the first block that it began with, and all others', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'waggle-chain-')), 'state.json')
  expect(await mendChainState(path)).toBe(0)
  const blocks = [block(2, 1_020), block(0, 1_500), block(0, 1_000), block(1, 1_010), block(0, 1_900)]
  await writeFile(path, JSON.stringify({ block: { number: '0x2', timestamp: '0x3fc' }, accounts: { a: 1 }, blocks }))
  expect(await mendChainState(path)).toBe(1_020)
  const kept = JSON.parse(await readFile(path, 'utf8'))
  expect(kept).toEqual({
    block: { number: '0x2', timestamp: '0x3fc' },
    accounts: { a: 1 },
    blocks: [block(2, 1_020), block(0, 1_000), block(1, 1_010)],
  })
})

test('a state whose writing was cut off is replaced by its copy; without one the error says what to do', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'waggle-chain-')), 'state.json')
  const whole = { block: { number: '0x1', timestamp: '0x3f2' }, blocks: [block(1, 1_010), block(0, 1_000)] }
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
