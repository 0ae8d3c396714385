'use client'

import { useEffect, useRef, useState } from 'react'
import { useAccount } from '#chain/AccountProvider.tsx'
import { useChain, useRoundClock } from '#chain/ChainProvider.tsx'
import { claimGame, withdrawCredit } from '#chain/calls/betCalls.ts'
import { type MarketHoldings, watchHoldings } from '#chain/calls/watchHoldings.ts'
import type { Reading } from '#chain/readUntilAnswered.ts'
import { useTransactions } from '#chain/TransactionProvider.tsx'
import { useSend } from '#chain/useSend.ts'
import { gameNews } from '#live/gameNews.ts'
import { useLive } from '#live/LiveProvider.tsx'
import { formatTokens } from '#merge/formatTokens.ts'
import { type GameTerms, gameStep } from '#merge/games/gameClock.ts'
import { isOver } from '#merge/games/marketRows.ts'
import { ActionButton, Trouble } from '../ActionButton.tsx'

interface Props {
  gameId: string
  choices: { choice: number; name: string }[]
  /** Of everybody, as the index has it. */
  totalStake: string
  /** The Judge's part of the losing stakes, in ten-thousandths. */
  feeBps: number
  terms: GameTerms
}

/** The connected account's bets in a game, and what it can take, as the contract has them. */
export function OwnBets({ choices, ...game }: Props) {
  const { gameId, terms } = game
  const chain = useChain()
  const { address } = useAccount()
  const sender = useSend()
  const holdings = useHoldings({ ...game, choiceCount: choices.length })
  if (chain === null || address === null || holdings === null) return null
  const { positions, claimable, credit } = holdings
  if (positions.length === 0 && claimable === 0n && credit === 0n) return null
  const name = (choice: number) => choices.find(one => one.choice === choice)?.name
  return (
    <section aria-labelledby="own-bets" className="rounded-cell border border-line bg-comb px-4 py-4">
      <h2 id="own-bets" className="text-2xl">
        Your bets
      </h2>
      <ul className="mt-2 text-sm">
        {positions.map(({ choice, stake, payout }) => (
          <li key={choice} className="flex justify-between gap-4 border-t border-line py-2">
            <span className="min-w-0 break-words">on {name(choice)}</span>
            <span className="shrink-0 text-right">
              <span className="figures">{formatTokens(stake)} Nectar</span>
              {!isOver(terms.status) && <span className="block text-soft">can pay {formatTokens(payout)}</span>}
            </span>
          </li>
        ))}
      </ul>
      {claimable > 0n && (
        <ActionButton isBusy={sender.isBusy} onClick={() => sender.send([claimGame(chain, BigInt(gameId))])}>
          Claim {formatTokens(claimable)} Nectar
        </ActionButton>
      )}
      {credit > 0n && (
        <ActionButton isBusy={sender.isBusy} onClick={() => sender.send([withdrawCredit(chain)])}>
          Withdraw {formatTokens(credit)} Nectar
        </ActionButton>
      )}
      <Trouble text={sender.trouble} />
    </section>
  )
}

type Watched = Omit<Props, 'choices'> & { choiceCount: number }

function useHoldings({ gameId, choiceCount, totalStake, feeBps, terms }: Watched): MarketHoldings | null {
  const chain = useChain()
  const { address } = useAccount()
  const { minedCount } = useTransactions()
  const news = gameNews(gameId, { ...useLive(), totalStake })
  const known = useRef(news)
  const clock = useRoundClock()
  // By the newest block, since the contract answers as of it.
  const step = 'blockSec' in clock ? gameStep(terms, clock.blockSec).says : null
  const [holdings, setHoldings] = useState<MarketHoldings | null>(null)
  const reading = useRef<Reading>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another account has other bets, also before they are read.
  useEffect(() => setHoldings(null), [chain, address, gameId])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the account has changes with its transactions and with the steps of the game, of which some have no event.
  useEffect(() => {
    if (chain === null || address === null) return
    const choices = Array.from({ length: choiceCount }, (_, choice) => choice)
    const holder = { account: address, gameId: BigInt(gameId), choices, feeBps }
    reading.current = watchHoldings(chain, holder, setHoldings)
    return reading.current.stop
  }, [chain, address, gameId, choiceCount, feeBps, minedCount, step])
  // Not for the first ones: what began above is reading.
  useEffect(() => {
    if (known.current !== news) reading.current?.again()
    known.current = news
  }, [news])
  return holdings
}
