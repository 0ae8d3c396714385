import type { Hex } from 'viem'

/** Timeout of one read of the chain; after that the page shows an error. */
export const TIMEOUT_MS = 4_000

/**
 * Selectors of the functions of Rounds that the clock calls. Hard-coded, so that a page needs no chain library to show the time; a test
 * compares them with the ABI.
 */
export const selectors = {
  currentRound: '0x8a19c8bc',
  startOf: '0x4db18497',
  endOf: '0x7d896c50',
  FINALITY_ROUNDS: '0xa716f0c0',
} as const

/** Reason why a contract returned no number: the call reverted, or there is no contract at the address. */
export type NoAnswer = 'reverted' | 'noContract'

interface Answer {
  result?: unknown
  error?: { code?: number; message?: string }
}

/** JSON-RPC's codes of a call that the contract refused; endpoints differ. */
const REVERTED = 3
const MAYBE_REVERTED = [-32_603, -32_000]

/** @throws {Error} if the chain does not answer in time, or refuses. */
export async function readChainId(): Promise<number> {
  return numberOf((await ask('eth_chainId', [])).result)
}

/** @returns the newest block's time, Unix seconds. */
export async function readBlockSec(): Promise<number> {
  const { result } = await ask('eth_getBlockByNumber', ['latest', false])
  return numberOf((result as { timestamp?: unknown } | null)?.timestamp)
}

/** A function of Rounds that returns one number. */
export async function readRounds(to: Hex, name: keyof typeof selectors, round?: number): Promise<number | NoAnswer> {
  const data = selectors[name] + (round === undefined ? '' : round.toString(16).padStart(64, '0'))
  const { result, error } = await ask('eth_call', [{ to, data }, 'latest'])
  if (error !== undefined) {
    const isRevert =
      error.code === REVERTED || (MAYBE_REVERTED.includes(error.code ?? 0) && /revert/i.test(`${error.message}`))
    if (isRevert) return 'reverted'
    throw new Error(`the chain refused ${name}`)
  }
  return result === '0x' ? 'noContract' : numberOf(result)
}

async function ask(method: string, params: unknown[]): Promise<Answer> {
  const answer = await fetch('/rpc', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  // Some endpoints answer a refused call with its own status.
  return (await answer.json()) as Answer
}

/** @throws {TypeError} if an endpoint answers with something else than a number. */
function numberOf(hex: unknown): number {
  const number = typeof hex === 'string' && hex.startsWith('0x') ? Number(hex) : Number.NaN
  if (!Number.isFinite(number)) throw new TypeError('the chain gave no number')
  return number
}
