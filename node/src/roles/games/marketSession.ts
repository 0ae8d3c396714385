import { approveMarket, readTokenState, type TokenState } from '#chain/games/marketToken.ts'
import { type VerdictPlace, verdictSalt } from '#chain/games/verdictCommitment.ts'
import type { AccountKey } from '#core/hashes.ts'
import { type AccountSession, CallRefusedError, openAccountSession, type SessionOptions } from '../accountSession.ts'

/** One account's calls to the market. */
export type MarketSession = ReturnType<typeof marketSessionOver>

/** Opens the account of a data folder for calls to the market. */
export async function openMarketSession(options: SessionOptions) {
  return marketSessionOver(await openAccountSession(options), options.identity.accountKey)
}

/** Adds the market's calls to a session. */
export function marketSessionOver(session: Omit<AccountSession, 'knows'>, accountKey: AccountKey) {
  const { client, contracts, account } = session
  const token = () => readTokenState(client, contracts, account)
  return {
    ...session,
    token,
    /** Salt of this peer's verdict on a dispute. */
    verdictSalt: (place: VerdictPlace) => verdictSalt(accountKey, place),
    /** Approves this amount of the account's tokens for the market, if necessary. */
    async allow(amount: bigint): Promise<TokenState> {
      const state = await token()
      if (state.balance < amount)
        throw new CallRefusedError(`The account ${account} has too few tokens of ${state.symbol}.`, {
          hint: `It needs ${amount} of the smallest unit and has ${state.balance}: claim or receive some first.`,
        })
      if (state.allowance < amount) await session.send(approveMarket(contracts, state.address, session.id()))
      return state
    },
  }
}
