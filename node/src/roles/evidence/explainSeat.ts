import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { formatEther } from 'viem'
import type { PeerKey } from '#core/hashes.ts'
import { milliWords } from './milliWords.ts'
import type { Work } from './work.ts'

type Case = { peerKey: PeerKey; level: number }
type NameOf = (peerKey: PeerKey) => string

/** A peer's verdicts on appeals, its pay for them and its faults as a seat in a round, in sentences; empty if there are none. */
export function explainSeat({ told }: Pick<Work, 'told'>, nameOf: NameOf): string[] {
  const { judged, seatPaid, blamed, misses } = told
  const appealOf = ({ peerKey, level }: Case) => `the ${level > 1 ? 'second ' : ''}appeal of ${nameOf(peerKey)}`
  const payOf = (of: Case) => seatPaid.find(({ peerKey, level }) => peerKey === of.peerKey && level === of.level)
  return [
    ...judged.map(verdict => {
      const said = verdict.scoreMilli === UNAVAILABLE ? 'unavailable' : milliWords(verdict.scoreMilli)
      const pay = payOf(verdict)
      const words =
        pay === undefined
          ? 'Nothing was paid for that: the appeal is open, or its result is another.'
          : `It was paid ${formatEther(pay.paidWei)} of the chain's coin for that.`
      return `It judged ${appealOf(verdict)}: ${said}. ${words}`
    }),
    ...blamed.map(one => {
      if (one.fault === 'sealed')
        return `Blamed: it sealed a verdict on ${appealOf(one)} and did not open it, which costs a tenth of a full stake.`
      const what = one.level === 0 ? `vote on ${nameOf(one.peerKey)}` : `verdict on ${appealOf(one)}`
      return `Blamed: its ${what} lay far from the verdict that overturned it, which costs half of a full stake.`
    }),
    ...(misses === null ? [] : [missedWords(misses, blamed.length > 0)]),
  ]
}

function missedWords(misses: number, isBlamed: boolean): string {
  const count = `It has ${misses === 1 ? 'one miss' : `${misses} misses`} by then; too many remove its seat.`
  return isBlamed ? count : `Blamed: it did not open all of its votes, which costs a part of its stake. ${count}`
}
