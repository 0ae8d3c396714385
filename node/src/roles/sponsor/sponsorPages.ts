import type { Deployment } from '@waggle/deployments/record'
import { formatEther } from 'viem'
import type { Contracts } from '#chain/contracts.ts'
import type { Clock } from '#core/clock.ts'
import type { AccountAddress, PeerKey } from '#core/hashes.ts'
import type { SponsorBook } from '#store/sponsorBook.ts'
import { createKeptAnswer } from '../http/keptAnswer.ts'
import type { Admission } from './admitRegistration.ts'
import type { SponsorFunds } from './sponsorFunds.ts'
import type { SponsorStanding, SponsorTerms } from './sponsorProtocol.ts'
import type { SponsorSettings } from './sponsorSettings.ts'

type Modules = {
  deployment: Pick<Deployment, 'chainId'>
  contracts: { peerRegistry: Pick<Contracts['peerRegistry'], 'address'> }
  /** The sponsor's own account. */
  account: AccountAddress
  settings: SponsorSettings
  /** Invitation that a request must contain; undefined if anybody may ask. */
  invitation: string | undefined
  admission: Pick<Admission, 'registrationsLeft' | 'ask'>
  book: Pick<SponsorBook, 'peer'>
  funds: Pick<SponsorFunds, 'isLow' | 'spentWei' | 'leftOf'>
  clock: Clock
}

/** Answers of a sponsor to anybody. Its balance is read no more often for many readers of terms and standings than for one. */
export function createSponsorPages(modules: Modules) {
  const { deployment, contracts, account, settings, invitation, admission, book, funds, clock } = modules
  const isLow = createKeptAnswer(clock, funds.isLow)
  return {
    ask: admission.ask,
    terms: async (): Promise<SponsorTerms> => ({
      ...{ chainId: deployment.chainId, registry: contracts.peerRegistry.address, account },
      ...{ rounds: settings.rounds, peerBudget: formatEther(settings['peer-budget']) },
      ...{ registrationsLeft: admission.registrationsLeft(), needsInvitation: invitation !== undefined },
      isLow: await isLow(),
    }),
    /** Null for a peer that is not sponsored here. */
    async standing(peerKey: PeerKey): Promise<SponsorStanding | null> {
      const peer = book.peer(peerKey)
      if (peer === undefined) return null
      return {
        ...{ account: peer.account, workedRound: peer.workedRound },
        ...{ spent: formatEther(funds.spentWei(peerKey)), left: formatEther(funds.leftOf(peerKey)) },
        isLow: await isLow(),
      }
    },
  }
}
