import type { RoundClock } from '#chain/roundClock.ts'
import { Notice } from '../Notice.tsx'
import { PartDown } from '../PartDown.tsx'

type Trouble = Extract<RoundClock, { state: 'unset' | 'down' | 'wrongChain' | 'noContract' }>

/** Explains why there is no round to show, and what to do. */
export function ClockTrouble({ clock }: { clock: Trouble }) {
  if (clock.state === 'down')
    return <PartDown part={{ state: 'down', source: 'chain', trouble: 'unreachable', url: clock.url }} />
  if (clock.state === 'unset') {
    return (
      <Notice trouble title="No deployment is set here.">
        <p>
          Set WAGGLE_DEPLOYMENT to the deployment’s record and WAGGLE_RPC_URL to its chain; npm run swarm sets both for
          you.
        </p>
      </Notice>
    )
  }
  if (clock.state === 'wrongChain') {
    return (
      <Notice
        trouble
        title={`The chain at ${clock.url} is ${clock.found}, but the contracts are on ${clock.expected}.`}
      >
        <p>
          Point WAGGLE_RPC_URL at chain {clock.expected}, or WAGGLE_DEPLOYMENT at the record of chain {clock.found}.
        </p>
      </Notice>
    )
  }
  return (
    <Notice trouble title={`The chain at ${clock.url} has no Rounds contract at the deployment’s address.`}>
      <p>It may have been reset: deploy again with npx hardhat deploy, or start over with npm run swarm -- --fresh.</p>
    </Notice>
  )
}
