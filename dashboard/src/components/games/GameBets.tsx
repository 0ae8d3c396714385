import { formatTokens } from '#merge/formatTokens.ts'
import type { PricedBet } from '#merge/games/gameHistory.ts'
import type { Game } from '#sources/getGames.ts'
import { AccountLink } from './AccountLink.tsx'

interface Props {
  bets: readonly PricedBet[]
  payouts: Game['payouts']['items']
  nameOf: (choice: number) => string
}

const cell = 'px-2 py-2 text-right first:pl-0 first:text-left'

/** The newest bets with their price of a share, and payouts. */
export function GameBets({ bets, payouts, nameOf }: Props) {
  if (bets.length === 0) return null
  return (
    <section aria-labelledby="bets">
      <h2 id="bets" className="text-2xl">
        Newest bets
      </h2>
      <table className="mt-3 w-full border-collapse text-sm">
        <thead className="text-soft">
          <tr>
            {['On', 'Account', 'Round', 'Nectar', 'A share'].map(title => (
              <th
                key={title}
                scope="col"
                className={`${cell} font-medium ${title === 'Account' ? 'max-sm:hidden' : ''}`}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bets.map(bet => (
            <tr key={bet.id} className="border-t border-line">
              <td className={`${cell} break-words`}>{nameOf(bet.choice)}</td>
              <td className={`${cell} max-sm:hidden`}>
                <AccountLink account={bet.account} />
              </td>
              <td className={`${cell} figures`}>{bet.round + 1}</td>
              <td className={`${cell} figures`}>{formatTokens(bet.stake)}</td>
              <td className={`${cell} figures`}>
                {bet.price.toFixed(2)}
                {bet.isProvisional && ' so far'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {payouts.length > 0 && (
        <ul className="mt-4 text-sm">
          {payouts.map(({ id, account, payout }) => (
            <li key={id} className="flex justify-between border-t border-line py-2">
              <span>
                <AccountLink account={account} /> took
              </span>
              <span className="figures">{formatTokens(payout)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
