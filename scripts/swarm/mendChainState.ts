import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { writeFileAtomic } from '../../node/model/src/base/writeFileAtomic.ts'
import { keptPath } from './keepChainState.ts'

type Block = { header: { number: string; timestamp: string } }

/** The part of anvil's state that is read here. */
type ChainState = { block: { timestamp: string }; blocks: Block[] }

const timeOf = ({ header }: Block) => Number(header.timestamp)

/**
 * Keeps of a chain's state the first block that it began with. Anvil makes one at every start, keeps them all, and takes any of them for
 * the first of the chain that it resumes: a deployment is then refused as one of another chain. A state whose writing was cut off is replaced by the last
 * whole copy.
 *
 * @returns time of the newest block, seconds; 0 where there is no chain yet.
 * @throws {Error} if neither the state nor its copy can be read.
 */
export async function mendChainState(path: string): Promise<number> {
  if (!existsSync(path)) return 0
  const state = (await readState(path)) ?? (await takeCopy(path))
  const isFirst = ({ header }: Block) => Number(header.number) === 0
  const firsts = state.blocks.filter(isFirst).toSorted((a, b) => timeOf(a) - timeOf(b))
  if (firsts.length > 1) {
    const blocks = state.blocks.filter(block => !isFirst(block) || block === firsts[0])
    await writeFileAtomic(path, JSON.stringify({ ...state, blocks }))
  }
  return Number(state.block.timestamp)
}

/** Null if it is truncated. */
async function readState(path: string): Promise<ChainState | null> {
  const text = await readFile(path, 'utf8')
  try {
    return JSON.parse(text) as ChainState
  } catch {
    return null
  }
}

async function takeCopy(path: string): Promise<ChainState> {
  const copy = existsSync(keptPath(path)) ? await readState(keptPath(path)) : null
  if (copy === null) throw new Error(`the local chain was cut off while it wrote ${path}: begin a new one with --fresh`)
  await writeFileAtomic(path, JSON.stringify(copy))
  return copy
}
