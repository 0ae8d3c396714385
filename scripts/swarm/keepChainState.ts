import { copyFile, readFile, rename, rm, stat } from 'node:fs/promises'

const LOOK_EVERY_MS = 500
/** A copy is read, which takes long if it is large: for so many times as long no other is made. */
const REST_TIMES = 20

/** Path of the last whole copy of a chain's state. */
export const keptPath = (statePath: string) => `${statePath}.kept`

/**
 * Copies a chain's state whenever it was written whole. Anvil writes over the only file it has, each second, and goes on mining meanwhile: if it is
 * killed, that file may end in the middle or lack the last block, and {@link mendChainState} takes the copy. Ends with the process.
 *
 * @param exited - settles when the chain's process has ended: what it left half-written then is never copied.
 */
export function keepChainState(statePath: string, exited: Promise<unknown>): void {
  let hasEnded = false
  let copiedMs = 0
  let restsUntilMs = 0
  const copy = async () => {
    const startedMs = performance.now()
    if (startedMs < restsUntilMs) return
    const before = await stat(statePath)
    if (before.size === 0 || before.mtimeMs === copiedMs) return
    const next = `${statePath}.next`
    await copyFile(statePath, next)
    const after = await stat(statePath)
    const isStill = after.mtimeMs === before.mtimeMs && after.size === before.size
    const isWhole = isStill && (await isWholeState(next))
    restsUntilMs = performance.now() + REST_TIMES * (performance.now() - startedMs)
    if (hasEnded || !isWhole) return await rm(next, { force: true })
    await rename(next, keptPath(statePath))
    copiedMs = before.mtimeMs
  }
  let copying = Promise.resolve()
  // A file that is not there yet, or a full disk: the next look tries again.
  const look = () => {
    copying = copying.then(copy).catch(() => undefined)
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  timer.unref()
  void exited.then(() => {
    hasEnded = true
    clearInterval(timer)
  })
}

async function isWholeState(path: string): Promise<boolean> {
  const state = await readChainState(path)
  return state !== null && !lacksBlocks(state)
}

export type ChainBlock = {
  header: { number: string; timestamp: string }
  transactions: readonly { transaction: { hash: string } }[]
}

/** The part of anvil's state that is read here. */
export interface ChainState {
  block: { timestamp: string }
  /** By address, lower case. */
  accounts: Readonly<Record<string, { nonce: number | string; code: string }>>
  blocks: ChainBlock[]
  transactions: readonly { info: { transaction_hash: string; from: string; nonce: number } }[]
}

/** Null if the file ends in the middle. */
export async function readChainState(path: string): Promise<ChainState | null> {
  const text = await readFile(path, 'utf8')
  try {
    return JSON.parse(text) as ChainState
  } catch {
    return null
  }
}

/**
 * Whether accounts are ahead of the blocks. Anvil copies its blocks, then its transactions, then its accounts, and mines meanwhile: one state in seven
 * under load. A chain that resumes from it has done what the missing block did, without the block's events: a game that has bets and was never opened.
 */
export function lacksBlocks({ accounts, blocks, transactions }: ChainState): boolean {
  const mined = new Set(blocks.flatMap(block => block.transactions.map(({ transaction }) => transaction.hash)))
  const next = new Map<string, number>()
  for (const { info } of transactions) {
    const before = next.get(info.from) ?? 0
    next.set(info.from, mined.has(info.transaction_hash) ? Math.max(before, info.nonce + 1) : before)
  }
  // The nonce of an impersonated contract counts other things.
  return Object.entries(accounts).some(
    ([address, { nonce, code }]) => code === '0x' && Number(nonce) > (next.get(address) ?? 0),
  )
}
