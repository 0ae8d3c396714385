import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { writeFileAtomic } from '../../node/src/core/writeFileAtomic.ts'

type Block = { header: { number: string; timestamp: string } }

/** The part of anvil's state that is read here. */
type ChainState = { block: { timestamp: string }; blocks: Block[] }

const timeOf = ({ header }: Block) => Number(header.timestamp)

/**
 * Keeps of a chain's state the first block that it began with. Anvil makes one at every start, keeps them all, and takes any of them for
 * the first of the chain that it resumes: a deployment is then refused as one of another chain.
 *
 * @returns time of the newest block, seconds; 0 where there is no chain yet.
 */
export async function mendChainState(path: string): Promise<number> {
  if (!existsSync(path)) return 0
  const state = JSON.parse(await readFile(path, 'utf8')) as ChainState
  const isFirst = ({ header }: Block) => Number(header.number) === 0
  const firsts = state.blocks.filter(isFirst).toSorted((a, b) => timeOf(a) - timeOf(b))
  if (firsts.length > 1) {
    const blocks = state.blocks.filter(block => !isFirst(block) || block === firsts[0])
    await writeFileAtomic(path, JSON.stringify({ ...state, blocks }))
  }
  return Number(state.block.timestamp)
}
