import type { PeerKey } from '#core/hashes.ts'
import { readSponsor, SponsorError } from '#roles/sponsor/askSponsor.ts'
import { type Finding, failure, ok, warning } from './finding.ts'

/** Whether the sponsor that a peer names answers, knows the peer, and can pay. */
export async function checkSponsor(url: string, peerKey: PeerKey | null): Promise<Finding> {
  try {
    const { terms, standing } = await readSponsor(url, peerKey)
    const known = standing === null ? 'has not registered this peer' : `paid ${standing.spent} in 24 hours`
    if (terms.isLow)
      return warning('sponsor', `${url} ${known}, and runs low`, 'Tell its operator, or send coin to the account.')
    if (standing === null && terms.registrationsLeft === 0)
      return warning('sponsor', `${url} has no registration left in this hour`, 'Start in an hour.')
    return ok('sponsor', `${url} ${known}`)
  } catch (error) {
    if (!(error instanceof SponsorError)) throw error
    return failure('sponsor', error.message, error.hint)
  }
}
