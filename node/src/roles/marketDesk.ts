import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Deployment } from '@waggle/deployments/record'
import { approveMarket, readMarketToken, type TokenState } from '#chain/marketToken.ts'
import { openChain } from '#chain/openChain.ts'
import type { TxOutcome } from '#chain/outbox.ts'
import { type VerdictPlace, verdictSalt } from '#chain/verdictCommitment.ts'
import { systemClock } from '#core/clock.ts'
import { NodeError } from '#core/errors.ts'
import { silentLogger } from '#core/logger.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Identity } from '#store/identity.ts'
import { lockDataFolder } from '#store/lockDataFolder.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'

/** The market, or the state of the account, does not allow what was asked. */
export class MarketRefusedError extends NodeError {
  override readonly code = 'MARKET_REFUSED'
}

export type DeskOptions = { data: string; deployment: Deployment; rpcUrl: string; identity: Identity }

/** The market as one account deals with it. */
export type MarketDesk = Awaited<ReturnType<typeof openMarketDesk>>

/**
 * Opens the account of a data folder for dealings with the market, through the same outbox as the peer's: what a killed
 * command left open goes on with the next.
 *
 * @throws {DataFolderLockedError} if the peer of that folder runs: two senders on one account would collide.
 */
export async function openMarketDesk({ data, deployment, rpcUrl, identity }: DeskOptions) {
  const lock = lockDataFolder(data)
  const db = openDatabase(join(data, JOURNAL_FILE))
  const ended = new AbortController()
  const release = () => {
    db.close()
    lock.release()
  }
  const { accountKey, peerKey, signer } = identity
  const outbox = createOutboxTable(db)
  const common = { rpcUrl, deployment, accountKey, peerKey, signer, outbox }
  const ambient = { clock: systemClock, logger: silentLogger, signal: ended.signal }
  const chain = await openChain({ ...common, ...ambient, pollMs: 250 }).catch(error => {
    release()
    throw error
  })
  const { client, contracts, account } = chain

  async function send(intent: OutboxIntent) {
    const outcome = await chain.send(intent)
    if (outcome.status === 'mined') return outcome
    throw new MarketRefusedError(`The chain did not take it (${reasonOf(outcome)}).`, {
      hint: 'Look at the game: npm run waggle -- market games.',
      retryable: outcome.status === 'stopped',
    })
  }

  return {
    data,
    account,
    client,
    contracts,
    send,
    peerKey,
    /** Salt of this peer's verdict on a dispute. */
    verdictSalt: (place: VerdictPlace) => verdictSalt(accountKey, place),
    /** A word of its own for each call that is meant to be sent. */
    id: randomUUID,
    token: () => readMarketToken(client, contracts, account),
    /** Sees to it that the market may take so much of the account's tokens. */
    async allow(amount: bigint): Promise<TokenState> {
      const token = await readMarketToken(client, contracts, account)
      if (token.balance < amount)
        throw new MarketRefusedError(`The account ${account} has too few tokens of ${token.symbol}.`, {
          hint: `It needs ${amount} of the smallest unit and has ${token.balance}: claim or receive some first.`,
        })
      if (token.allowance < amount) await send(approveMarket(contracts, token.address, randomUUID()))
      return token
    },
    async close(): Promise<void> {
      ended.abort()
      await chain.done.catch(() => {})
      release()
    },
  }
}

function reasonOf(outcome: Exclude<TxOutcome, { status: 'mined' }>): string {
  if (outcome.status === 'reverted') return outcome.error
  return outcome.status === 'dropped' ? outcome.reason : 'this command was ended first'
}
