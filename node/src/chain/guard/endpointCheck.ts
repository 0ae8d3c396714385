import type { Clock } from '#core/clock.ts'
import { type Head, headOf } from './answers.ts'
import type { Endpoint } from './endpoint.ts'
import type { TakenHead } from './followedHead.ts'

/** The chain that a deployment is on. */
export type ChainIdentity = {
  chainId: number
  /** A block whose hash names the chain: two local chains have one id. */
  firstBlock: number
  /** That hash, if it is known; else the first answer's. */
  firstHash?: string
}

export type CheckModules = {
  identity: ChainIdentity
  clock: Clock
  /** Aborts a check. */
  signal: AbortSignal
  /** Endpoints that work, the one in use first. */
  healthy(): readonly Endpoint[]
  /** The fault of a head; null if it has none. */
  faultOfHead(endpoint: Endpoint, head: TakenHead): string | null
  /** Takes an endpoint out of use. */
  markOut(endpoint: Endpoint, reason: string): void
}

/** Blocks below both heads at which endpoints are compared: a reorganisation does not reach it. */
const COMPARED_DEPTH = 16

/** @throws {TypeError} if the endpoint's answer is not a block. */
export async function headAt(endpoint: Pick<Endpoint, 'ask'>, at: 'latest' | number): Promise<Head> {
  const tag = typeof at === 'number' ? `0x${at.toString(16)}` : at
  const head = headOf(await endpoint.ask({ method: 'eth_getBlockByNumber', params: [tag, false] }))
  if (head === null) throw new TypeError('the endpoint did not answer with a block')
  return head
}

/** An endpoint's fault, or its newest block. */
type Checked = { fault: string } | { fault: null; head: Head }

/** Creates a check that returns an endpoint's fault, or its newest block if it seems to serve the deployment's chain. */
export function createEndpointCheck(modules: CheckModules): (endpoint: Endpoint) => Promise<Checked> {
  const { identity, clock, signal, healthy, faultOfHead, markOut } = modules
  let firstHash = identity.firstHash ?? null
  /** The last block that two endpoints had in common. */
  let agreed: Head | null = null

  /** Compares an endpoint with the current one. The one that dropped their last common block is at fault; otherwise the one not in use. */
  async function comparison(endpoint: Endpoint, head: Head): Promise<string | null> {
    const other = healthy().find(one => one !== endpoint)
    if (other === undefined || (healthy().includes(endpoint) && other !== healthy()[0])) return null
    const otherHead = await headAt(other, 'latest').catch(() => null)
    if (otherHead === null) return null
    const number = Math.min(head.number, otherHead.number) - COMPARED_DEPTH
    if (number <= identity.firstBlock) return null
    const [ours, theirs] = await Promise.all([headAt(endpoint, number), headAt(other, number).catch(() => null)])
    if (theirs === null) return null
    if (ours.hash === theirs.hash) {
      agreed = ours
      return null
    }
    const left = agreed === null ? null : await headAt(other, agreed.number).catch(() => null)
    if (agreed === null || left === null || left.hash === agreed.hash)
      return `its block ${number} is ${ours.hash}, and ${theirs.hash} at ${other.origin}`
    markOut(other, `its block ${left.number} is ${left.hash}, and was ${agreed.hash}`)
    return null
  }

  return async endpoint => {
    try {
      const [chainId, first, head] = await Promise.all([
        endpoint.ask({ method: 'eth_chainId', params: [] }),
        headAt(endpoint, identity.firstBlock),
        headAt(endpoint, 'latest'),
      ])
      if (Number(chainId) !== identity.chainId) return { fault: `it serves the chain with id ${Number(chainId)}` }
      firstHash ??= first.hash
      if (first.hash !== firstHash)
        return { fault: `it serves another chain: its block ${first.number} is ${first.hash}` }
      const fault = faultOfHead(endpoint, { ...head, atMs: clock.nowMs() }) ?? (await comparison(endpoint, head))
      return fault === null ? { fault, head } : { fault }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      return { fault: error instanceof Error ? error.message : String(error) }
    }
  }
}
