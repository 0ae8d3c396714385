'use client'

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { parseUnits } from 'viem'
import { useAccount } from '#chain/AccountProvider.tsx'
import { useChain, useChainAccess } from '#chain/ChainProvider.tsx'
import { betCalls, type Quote, quoteBet } from '#chain/calls/betCalls.ts'
import { readUntilAnswered } from '#chain/readUntilAnswered.ts'
import { useTransactions } from '#chain/TransactionProvider.tsx'
import { useGameStep } from '#chain/useGameStep.ts'
import { useSend } from '#chain/useSend.ts'
import { exactTokens, formatShares, formatTokens } from '#merge/formatTokens.ts'
import type { GameStep, GameTerms } from '#merge/games/gameClock.ts'
import { ActionButton, Trouble } from '../ActionButton.tsx'

interface Props {
  gameId: string
  choices: { choice: number; name: string }[]
  /** In the token's smallest unit. */
  minBet: string
  terms: GameTerms
}

const field = 'mt-1 w-full rounded-cell border border-soft bg-wax px-3 py-2 text-base'

/** A bet before it is signed: what it buys, what it can pay, and what it can lose. */
export function BetTicket({ gameId, choices, minBet, terms }: Props) {
  const chain = useChain()
  const { address } = useAccount()
  const step = useGameStep(terms)
  const sender = useSend()
  const [choice, setChoice] = useState(choices[0]?.choice ?? 0)
  const [text, setText] = useState('1')
  const select = useRef<HTMLSelectElement>(null)
  const input = useRef<HTMLInputElement>(null)
  // The form is there before its scripts. Input before that changed the elements but no state.
  useEffect(() => {
    if (select.current) setChoice(Number(select.current.value))
    if (input.current) setText(input.current.value)
  }, [])
  const stake = parseStake(text)
  const isEnough = stake !== null && stake >= BigInt(minBet)
  const round = step?.bettingRound ?? null
  const [quote, setQuote] = useQuote(gameId, round, choice, isEnough ? stake : null)
  const unknown = step !== null && round === null ? '–' : '…'
  const name = choices.find(one => one.choice === choice)?.name ?? `choice ${choice}`

  async function place() {
    if (chain === null || address === null || stake === null || round === null || quote === null) return
    const what = `${exactTokens(stake)} Nectar on ${name}`
    const bet = { gameId: BigInt(gameId), round, choice, stake, what, shown: quote, onFallen: setQuote }
    await sender.send(() => betCalls(chain, address, bet))
  }

  return (
    <section aria-labelledby="ticket" className="rounded-cell border-2 border-honey bg-comb px-4 py-4">
      <h2 id="ticket" className="text-2xl">
        Bet
      </h2>
      <label className="mt-3 block text-sm">
        On
        <select ref={select} className={field} value={choice} onChange={event => setChoice(Number(event.target.value))}>
          {choices.map(one => (
            <option key={one.choice} value={one.choice}>
              {one.name}
            </option>
          ))}
        </select>
      </label>
      <label className="mt-3 block text-sm">
        Nectar
        <input
          ref={input}
          className={`${field} figures`}
          inputMode="decimal"
          value={text}
          onChange={event => setText(event.target.value)}
        />
      </label>
      {isEnough ? (
        <dl className="mt-3 space-y-1 text-sm">
          <Line title="Buys">{quote ? formatShares(quote.shares) : unknown}</Line>
          <Line title={`Pays if ${name} wins and nobody bets after you`}>
            {quote ? `${formatTokens(quote.payout)} Nectar` : unknown}
          </Line>
          <Line title="Most that you can lose">{exactTokens(stake)} Nectar</Line>
        </dl>
      ) : (
        <p className="mt-3 text-sm text-thorn">A bet is a number of Nectar, {exactTokens(BigInt(minBet))} at least.</p>
      )}
      <ActionButton isBusy={sender.isBusy} isOff={address === null || round === null || quote === null} onClick={place}>
        {isEnough ? `Bet ${exactTokens(stake)} Nectar` : 'Bet'}
      </ActionButton>
      {/* Its line is reserved: an account and the clock come after the page. */}
      <p className="mt-2 min-h-5 text-sm text-soft">{whyNot(step, address !== null)}</p>
      <Trouble text={sender.trouble} />
    </section>
  )
}

/** The reason why nobody can bet, or this reader; null if there is none. */
function whyNot(step: GameStep | null, isConnected: boolean): string | null {
  if (step !== null && step.bettingRound === null) return 'No round takes bets now.'
  return isConnected ? null : 'Connect an account to bet.'
}

function Line({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="min-w-0 break-words text-soft">{title}</dt>
      <dd className="figures shrink-0 font-semibold">{children}</dd>
    </div>
  )
}

/** Tokens that a person typed, in the smallest unit; null for anything else. */
function parseStake(text: string): bigint | null {
  return /^\d{1,9}(\.\d{1,18})?$/.test(text.trim()) ? parseUnits(text.trim(), 18) : null
}

/**
 * The quote for exactly these terms: null as soon as one of them changes, until the chain has answered for the new ones.
 *
 * @returns it, and a function that replaces it.
 */
function useQuote(
  gameId: string,
  round: number | null,
  choice: number,
  stake: bigint | null,
): [Quote | null, (now: Quote) => void] {
  const { open } = useChainAccess()
  const { minedCount } = useTransactions()
  const [answer, setAnswer] = useState<{ terms: string; quote: Quote } | null>(null)
  // A new round and the user's own transactions change the shares that a bet buys.
  const terms = `${gameId} ${round} ${choice} ${stake} ${minedCount}`
  useEffect(() => {
    if (stake === null) return
    const read = async () => quoteBet(await open(), BigInt(gameId), choice, stake)
    return readUntilAnswered(read, quote => setAnswer({ terms, quote }))
  }, [open, gameId, choice, stake, terms])
  return [answer?.terms === terms ? answer.quote : null, quote => setAnswer({ terms, quote })]
}
