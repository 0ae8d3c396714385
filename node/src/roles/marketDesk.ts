import { randomUUID } from 'node:crypto'
import { approveMarket, readMarketToken, type TokenState } from '#chain/marketToken.ts'
import { type VerdictPlace, verdictSalt } from '#chain/verdictCommitment.ts'
import type { Hex } from '#core/hex.ts'
import { type AccountDesk, CallRefusedError, type DeskOptions, openAccountDesk } from './accountDesk.ts'

/** The market as one account deals with it. */
export type MarketDesk = ReturnType<typeof marketDeskOver>

/** Opens the account of a data folder for dealings with the market. */
export async function openMarketDesk(options: DeskOptions) {
  return marketDeskOver(await openAccountDesk(options), options.identity.accountKey)
}

/** The market over any way to send from an account. */
export function marketDeskOver(desk: AccountDesk, accountKey: Hex) {
  const { client, contracts, account } = desk
  const token = () => readMarketToken(client, contracts, account)
  return {
    ...desk,
    token,
    /** Salt of this peer's verdict on a dispute. */
    verdictSalt: (place: VerdictPlace) => verdictSalt(accountKey, place),
    /** Sees to it that the market may take so much of the account's tokens. */
    async allow(amount: bigint): Promise<TokenState> {
      const state = await token()
      if (state.balance < amount)
        throw new CallRefusedError(`The account ${account} has too few tokens of ${state.symbol}.`, {
          hint: `It needs ${amount} of the smallest unit and has ${state.balance}: claim or receive some first.`,
        })
      if (state.allowance < amount) await desk.send(approveMarket(contracts, state.address, randomUUID()))
      return state
    },
  }
}
