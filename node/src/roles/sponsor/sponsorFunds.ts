import { costWei, REGISTRATION_GAS, ROUND_GAS } from '#chain/peers/gasOfPeer.ts'
import type { ChainReads } from '#chain/reads.ts'
import type { Clock } from '#core/clock.ts'
import type { AccountAddress, PeerKey } from '#core/hashes.ts'
import type { SponsorBook, SponsorPayment } from '#store/sponsorBook.ts'
import type { SponsorSettings } from './sponsorSettings.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** Rounds of gas for an account whose peer has not worked yet, or not lately: its key counts from the second round on, and one may go wrong. */
const CREDIT_ROUNDS = 6n
/** All peers that stopped get this part of a day's budget together: the rest is for those that work. */
const STOPPED_PART = 4n
/** A sponsor with less than this part of a day's budget runs low. */
const LOW_PART = 4n

type Modules = {
  reads: Pick<ChainReads, 'readGasPrice' | 'readBalance'>
  book: SponsorBook
  clock: Clock
  settings: SponsorSettings
  /** The sponsor's own account. */
  account: AccountAddress
}

/** Reason to send a peer gas. */
export type GasDue = 'credit' | 'work' | 'return'

/** A sponsor's balance and remaining budget. */
export type SponsorFunds = ReturnType<typeof createSponsorFunds>

export function createSponsorFunds({ reads, book, clock, settings, account }: Modules) {
  const paymentsOf = (peerKey?: PeerKey) => book.payments(clock.nowMs() - DAY_MS, peerKey)
  const spentWei = (peerKey?: PeerKey) => sumOf(paymentsOf(peerKey))
  const leftWei = (budgetWei: bigint, peerKey?: PeerKey) => atLeastZero(budgetWei - spentWei(peerKey))
  const leftForStoppedWei = () =>
    atLeastZero(settings.budget / STOPPED_PART - sumOf(paymentsOf().filter(({ kind }) => kind === 'gas to go on')))
  const isLow = (balanceWei: bigint) =>
    balanceWei * LOW_PART < settings.budget || leftWei(settings.budget) * LOW_PART < settings.budget
  return {
    spentWei,
    /** The rest of the peer's budget for the day. */
    leftOf: (peerKey: PeerKey) => leftWei(settings['peer-budget'], peerKey),
    isLow: async () => isLow(await reads.readBalance(account)),
    /** Cost of a peer's registration; null if the funds do not cover it and the gas of its first rounds. */
    async forRegistration(): Promise<bigint | null> {
      const [gasPriceWei, balanceWei] = await Promise.all([reads.readGasPrice(), reads.readBalance(account)])
      const registrationWei = costWei(REGISTRATION_GAS, gasPriceWei)
      const neededWei = registrationWei + CREDIT_ROUNDS * costWei(ROUND_GAS, gasPriceWei)
      return neededWei <= balanceWei && neededWei <= leftWei(settings.budget) ? registrationWei : null
    },
    /**
     * Amount to send to a peer's account now: it fills up the due rounds of gas once the account has less than half of them.
     *
     * @param due - `credit`: for its first rounds. `work`: for as long as it works. `return`: to work again.
     */
    async topUpOf(peerKey: PeerKey, peerAccount: AccountAddress, due: GasDue): Promise<bigint> {
      const [gasPriceWei, balanceWei, ownWei] = await Promise.all([
        reads.readGasPrice(),
        reads.readBalance(peerAccount),
        reads.readBalance(account),
      ])
      const roundWei = costWei(ROUND_GAS, gasPriceWei)
      const targetWei = roundWei * (due === 'work' ? BigInt(settings.rounds) : CREDIT_ROUNDS)
      if (balanceWei * 2n >= targetWei) return 0n
      const limits = [leftWei(settings['peer-budget'], peerKey), leftWei(settings.budget), ownWei - roundWei]
      if (due === 'return') limits.push(leftForStoppedWei())
      const wei = limits.reduce((least, limit) => (limit < least ? limit : least), targetWei - balanceWei)
      // Less is not worth a transaction.
      return wei < roundWei ? 0n : wei
    },
  }
}

const sumOf = (payments: readonly SponsorPayment[]) => payments.reduce((sum, { wei }) => sum + wei, 0n)

const atLeastZero = (wei: bigint) => (wei > 0n ? wei : 0n)
