import { setTimeout } from 'node:timers/promises'
import type { ChainReader } from './chain.ts'
import type { NetworkPreset } from './networks.ts'

/** Polls without a new block after which a chain counts as quiet: 40 s on Sepolia, whose blocks take 12 s. */
const QUIET_POLLS = 20

interface Watched {
  readonly chain: ChainReader
  readonly preset: NetworkPreset
  readonly say: (line: string) => void
}

/** Waits for work that needs blocks, and says when they stop: a chain that makes them only for transactions confirms none. */
export async function watchBlocks<T>(watched: Watched, work: Promise<T>): Promise<T> {
  const ended = new AbortController()
  const watching = tellQuiet(watched, ended.signal)
  return work.finally(() => {
    ended.abort()
    return watching
  })
}

async function tellQuiet({ chain, preset, say }: Watched, signal: AbortSignal): Promise<void> {
  const { confirmations, blockPollingMs } = preset
  const needed = confirmations === 1 ? 'a block' : `${confirmations} blocks, its own included`
  let [before, said] = [Number.NaN, Number.NaN]
  while (!signal.aborted) {
    // The work itself reports a failing endpoint.
    const number = await chain.block('latest').then(
      block => block.number,
      () => Number.NaN,
    )
    if (number === before && number !== said && !signal.aborted) {
      said = number
      say(`  no block since block ${number}: each transaction waits for ${needed}`)
    }
    before = number
    await setTimeout(QUIET_POLLS * blockPollingMs, undefined, { signal }).catch(() => {})
  }
}
