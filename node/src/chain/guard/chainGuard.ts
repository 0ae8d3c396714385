import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { ChainUnreachableError } from '../chainErrors.ts'
import { type Head, headOf } from './answers.ts'
import type { Endpoint, RpcCall } from './endpoint.ts'
import { judgeHead, type TakenHead } from './judgeHead.ts'

/** The chain that a deployment is on. */
export type ChainIdentity = {
  chainId: number
  /** A block whose hash names the chain: two local chains have one id. */
  firstBlock: number
}

export type GuardModules = {
  endpoints: readonly Endpoint[]
  identity: ChainIdentity
  clock: Clock
  logger: Logger
  /** Ends every wait. */
  signal: AbortSignal
  /** How long heads must follow one that jumped before it is accepted. */
  holdMs?: number
}

export type ChainGuard = {
  /** Finds out which endpoints serve the chain. Those that do not are asked again until they do. */
  check(): Promise<void>
  /** As EIP-1193 has it. Waits through outages; rejects with the signal's reason, or with what the server ruled. */
  request(call: RpcCall): Promise<unknown>
  /** Asks for the newest block, and takes it unless it cannot be. */
  readHead(): Promise<TakenHead>
  /** The head that was taken last. */
  lastHead(): TakenHead | null
}

const HOLD_MS = 60_000
/** Heads in that time, the first counted. */
const HOLD_HEADS = 4
/** Time between checks of each endpoint. */
const CHECK_EVERY_MS = 60_000
/** Blocks below both heads at which endpoints are compared: a reorganisation does not reach it. */
const COMPARED_DEPTH = 16
/** An answer that stays malformed while others are fine is not an outage: after so many, the caller gets the error. */
const MAX_ODD_ANSWERS = 3
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 30_000

type Candidate = { first: TakenHead; last: TakenHead; heads: number }
/** An endpoint, with why it is not asked. */
type Guarded = Endpoint & { out: { reason: string; sinceMs: number } | null; candidate: Candidate | null }

/**
 * Stands between a peer and its endpoints, so that their faults do not reach the layers above. Every answer is of the
 * deployment's chain and of a plausible head; until there is one, the call waits.
 */
export function createChainGuard(modules: GuardModules): ChainGuard {
  const { identity, clock, logger, signal, holdMs = HOLD_MS } = modules
  const endpoints = modules.endpoints.map((endpoint): Guarded => ({ ...endpoint, out: null, candidate: null }))
  let firstHash: string | null = null
  let taken: TakenHead | null = null
  /** The last block that two endpoints had in common. */
  let agreed: Head | null = null
  let checkedMs = clock.nowMs()
  let checking: Promise<void> | null = null
  let back = Promise.withResolvers<void>()

  const healthy = () => endpoints.filter(({ out }) => out === null)

  async function headAt(endpoint: Endpoint, at: 'latest' | number): Promise<Head> {
    const tag = typeof at === 'number' ? `0x${at.toString(16)}` : at
    const head = headOf(await endpoint.ask({ method: 'eth_getBlockByNumber', params: [tag, false] }))
    if (head === null) throw new TypeError('endpoints answer with blocks')
    return head
  }

  /** What is wrong with an endpoint; null if it serves our chain as far as can be seen. */
  async function faultOf(endpoint: Guarded): Promise<string | null> {
    try {
      const [chainId, first, head] = await Promise.all([
        endpoint.ask({ method: 'eth_chainId', params: [] }),
        headAt(endpoint, identity.firstBlock),
        headAt(endpoint, 'latest'),
      ])
      if (Number(chainId) !== identity.chainId) return `it serves the chain with id ${Number(chainId)}`
      firstHash ??= first.hash
      if (first.hash !== firstHash) return `it serves another chain: its block ${first.number} is ${first.hash}`
      return judge(endpoint, { ...head, atMs: clock.nowMs() }) ?? (await comparison(endpoint, head))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Compares an endpoint with the one in use. What left the blocks that both had deviates; else the one that is not in use. */
  async function comparison(endpoint: Guarded, head: Head): Promise<string | null> {
    const other = healthy().find(one => one !== endpoint)
    if (other === undefined || (endpoint.out === null && other !== healthy()[0])) return null
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

  /** Judges a head; one that jumped is believed once further heads have followed it for long enough. */
  function judge(endpoint: Guarded, head: TakenHead): string | null {
    const fault = judgeHead(taken, head, head.atMs)
    if (fault === null) {
      endpoint.candidate = null
      return null
    }
    const { candidate } = endpoint
    const goesOn = candidate !== null && judgeHead(candidate.last, head, head.atMs) === null
    endpoint.candidate = goesOn
      ? { ...candidate, last: head, heads: candidate.heads + (head.number > candidate.last.number ? 1 : 0) }
      : { first: head, last: head, heads: 1 }
    const { first, heads } = endpoint.candidate
    const isHeld = heads < HOLD_HEADS || head.atMs - first.atMs < holdMs
    if (isHeld || healthy().some(other => other !== endpoint)) return fault
    logger.warn('the chain stayed where it jumped to; following it', { endpoint: endpoint.origin, fault })
    endpoint.candidate = null
    taken = null
    return null
  }

  function markOut(endpoint: Guarded, reason: string): void {
    if (endpoint.out !== null) return
    endpoint.out = { reason, sinceMs: clock.nowMs() }
    const others = healthy().length
    if (others === 0) back = Promise.withResolvers<void>()
    const said = others === 0 ? 'waiting for the chain' : 'an endpoint is out; asking the other'
    logger.warn(said, { endpoint: endpoint.origin, reason })
    void recover(endpoint).catch(() => undefined) // only the node's stop ends it early
  }

  async function recover(endpoint: Guarded): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      await clock.sleep(pauseMs, signal)
      if ((await faultOf(endpoint)) === null) break
    }
    const seconds = Math.round((clock.nowMs() - (endpoint.out?.sinceMs ?? 0)) / 1000)
    const said = healthy().length === 0 ? 'the chain answers again' : 'an endpoint is back'
    endpoint.out = null
    logger.info(said, { endpoint: endpoint.origin, seconds })
    back.resolve()
  }

  /** Once a minute, and whenever something was odd, each endpoint must still serve our chain, and the same. */
  function check(): Promise<void> {
    checking ??= (async () => {
      for (const endpoint of healthy()) {
        const fault = await faultOf(endpoint)
        if (fault !== null) markOut(endpoint, fault)
      }
      checkedMs = clock.nowMs()
    })().finally(() => {
      checking = null
    })
    return checking
  }

  /** Runs an exchange with an endpoint that answers as it should. */
  async function exchange<T>(work: (endpoint: Guarded) => Promise<T>): Promise<T> {
    for (let odd = 0; ; ) {
      signal.throwIfAborted()
      const [endpoint] = healthy()
      if (endpoint === undefined) {
        await untilBack()
        continue
      }
      try {
        return await work(endpoint)
      } catch (error) {
        if (!(error instanceof ChainUnreachableError)) throw error
        await check()
        if (endpoint.out !== null) continue
        odd += 1
        if (odd >= MAX_ODD_ANSWERS) throw error
        await clock.sleep(FIRST_PAUSE_MS * 2 ** odd, signal)
      }
    }
  }

  async function untilBack(): Promise<void> {
    const stopped = Promise.withResolvers<never>()
    const stop = () => stopped.reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    await Promise.race([back.promise, stopped.promise]).finally(() => signal.removeEventListener('abort', stop))
  }

  function take(endpoint: Guarded, found: Head): TakenHead {
    const head = { ...found, atMs: clock.nowMs() }
    const fault = judge(endpoint, head)
    if (fault !== null) {
      markOut(endpoint, fault)
      throw new ChainUnreachableError(`The chain at ${endpoint.origin} cannot be followed: ${fault}.`, {
        hint: 'Check the endpoint; this node resumes once its blocks can be believed.',
        retryable: true,
      })
    }
    taken = head
    return head
  }

  return {
    check,
    lastHead: () => taken,
    async readHead() {
      if (clock.nowMs() - checkedMs >= CHECK_EVERY_MS) await check()
      return exchange(async endpoint => take(endpoint, await headAt(endpoint, 'latest')))
    },
    request: call =>
      exchange(async endpoint => {
        const result = await endpoint.ask(call)
        const isHead =
          call.method === 'eth_getBlockByNumber' && (call.params as unknown[] | undefined)?.[0] === 'latest'
        const head = isHead ? headOf(result) : null
        if (head !== null) take(endpoint, head)
        return result
      }),
  }
}
