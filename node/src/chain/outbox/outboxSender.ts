import type { Hex } from '#core/hex.ts'
import type { OutboxEntry } from '#core/outboxStore.ts'
import { isRefused, type SendOutcome } from '../guard/sendOutcome.ts'
import { attemptLike, type Bid, createOutboxBids, type Wanted } from './outboxBids.ts'
import type { Head, OutboxModules, OutboxOptions } from './outboxOptions.ts'

/** The newest attempt of an entry that was broadcast, with the blocks of the first and the last broadcast. */
type Broadcast = {
  hash: Hex
  firstBlock: number
  lastBlock: number
  outcome: SendOutcome
  /** Whether the pool asks for more, and no higher bid was possible. */
  isTooLow: boolean
}

/** Entry → what an endpoint said when it last refused the call, in words that decide nothing. */
export type Refusals = Map<number, string>

export type OutboxSender = {
  /**
   * Signs an entry with a nonce and broadcasts it, at a higher fee than a pooled transaction with that nonce. Where new bytes are of no use, it
   * broadcasts those of before.
   *
   * @returns false if the account cannot pay it, and there are none of before.
   */
  signAndSend(entry: OutboxEntry, head: Head, nonce: number, gas: bigint): Promise<boolean>
  /**
   * The same for the nonce of its newest attempt. The gas is estimated again: pools refuse a limit above a block's, and the call would block all
   * others.
   */
  signAgain(entry: OutboxEntry, head: Head): Promise<void>
  /** Broadcasts the newest attempt of an entry as it is. */
  broadcast(entry: OutboxEntry, head: Head): Promise<void>
  /** Whether the account can pay no transaction at all, as of the last one that was to be signed. */
  isSpent(): boolean
  lastBroadcast(id: number): Broadcast | undefined
  forget(id: number): void
}

type SenderModules = OutboxModules & { refusals: Refusals }

export function createOutboxSender(modules: SenderModules, options: OutboxOptions): OutboxSender {
  const { store, rpc, clock, logger, refusals } = modules
  const sent = new Map<number, Broadcast>()
  const bids = createOutboxBids(modules, options)

  async function broadcast(entry: OutboxEntry, head: Head): Promise<void> {
    const attempt = entry.attempts.at(-1)
    if (attempt === undefined) return
    const { hash, nonce } = attempt
    const outcome = await rpc.send(attempt.raw)
    bids.answered(attempt, outcome)
    if (typeof outcome === 'object') refusals.set(entry.id, outcome.refused)
    else refusals.delete(entry.id)
    const before = sent.get(entry.id)
    // A transaction that a pool lacks cannot be stuck there.
    const isOld = before?.hash === hash && !isRefused(before.outcome) && !isRefused(outcome)
    const firstBlock = isOld ? Math.min(before.firstBlock, head.block) : head.block
    const isTooLow = outcome === 'underpriced' && before?.hash === hash
    // One that is priced too low for the pool counts as stuck.
    const stuckBlock = outcome === 'underpriced' ? head.block - options.stuckBlocks : firstBlock
    sent.set(entry.id, { hash, firstBlock: stuckBlock, lastBlock: head.block, outcome, isTooLow })
    if (outcome === 'no funds') bids.warnPoor(entry)
    else if (isTooLow && !before?.isTooLow)
      logger.warn('a pool asks for more than this peer pays; the transaction waits', { call: entry.key })
    else logger.debug('transaction broadcast', { call: entry.key, hash, nonce, outcome })
  }

  async function sign({ key, to, data, valueWei }: OutboxEntry, wanted: Wanted, { wantedWei }: Bid) {
    const maxWei = options.maxFeePerGasWei
    if (wantedWei > maxWei)
      logger.warn('gas costs more than this peer pays; the transaction waits', { call: key, wantedWei, maxWei })
    return { ...(await rpc.sign({ to, data, valueWei, ...wanted })), ...wanted, signedAtMs: clock.nowMs() }
  }

  async function signAndSend(entry: OutboxEntry, head: Head, nonce: number, gas: bigint): Promise<boolean> {
    const bid = await bids.payable(entry, head, nonce, gas)
    const last = entry.attempts.at(-1)
    if (bid === null) {
      bids.warnPoor(entry)
      if (last?.nonce !== nonce) return false
      await broadcast(entry, head)
      return true
    }
    const wanted = { nonce, gas, ...bid.fees }
    const attempt = attemptLike(entry.attempts, wanted, bids.isHeld(nonce)) ?? (await sign(entry, wanted, bid))
    // An earlier one that is added again is the newest.
    if (attempt !== last) store.addAttempt(entry.id, attempt)
    const stored = store.get(entry.key)
    if (stored !== undefined) await broadcast(stored, head)
    return true
  }

  return {
    signAndSend,
    async signAgain(entry, head) {
      const last = entry.attempts.at(-1)
      if (last === undefined) return
      const simulated = await rpc.simulate(entry)
      await signAndSend(entry, head, last.nonce, 'gas' in simulated ? simulated.gas : last.gas)
    },
    broadcast,
    isSpent: bids.isSpent,
    lastBroadcast: id => sent.get(id),
    forget: id => void sent.delete(id),
  }
}
