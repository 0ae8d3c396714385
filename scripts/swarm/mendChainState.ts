import { existsSync } from 'node:fs'
import { writeFileAtomic } from '../../node/model/src/base/writeFileAtomic.ts'
import { type ChainBlock, type ChainState, keptPath, lacksBlocks, readChainState } from './keepChainState.ts'

const timeOf = ({ header }: ChainBlock) => Number(header.timestamp)

/**
 * Keeps of a chain's state the first block that it began with. Anvil makes one at every start, keeps them all, and takes any of them for
 * the first of the chain that it resumes: a deployment is then refused as one of another chain. A state whose writing was cut off, or that lacks its last
 * block, is replaced by the last whole copy.
 *
 * @returns time of the newest block, seconds; 0 where there is no chain yet.
 * @throws {Error} if neither the state nor its copy can be read.
 */
export async function mendChainState(path: string): Promise<number> {
  if (!existsSync(path)) return 0
  const written = await readChainState(path)
  const state = written === null || lacksBlocks(written) ? await takeCopy(path, written) : written
  const isFirst = ({ header }: ChainBlock) => Number(header.number) === 0
  const firsts = state.blocks.filter(isFirst).toSorted((a, b) => timeOf(a) - timeOf(b))
  if (firsts.length > 1) {
    const blocks = state.blocks.filter(block => !isFirst(block) || block === firsts[0])
    await writeFileAtomic(path, JSON.stringify({ ...state, blocks }))
  }
  return Number(state.block.timestamp)
}

/** The copy, or without one what was written, if it can be read: one block of a chain without its events is better than none of it. */
async function takeCopy(path: string, written: ChainState | null): Promise<ChainState> {
  const copy = existsSync(keptPath(path)) ? await readChainState(keptPath(path)) : null
  const state = copy ?? written
  if (state === null)
    throw new Error(`the local chain was cut off while it wrote ${path}: begin a new one with --fresh`)
  await writeFileAtomic(path, JSON.stringify(state))
  return state
}
