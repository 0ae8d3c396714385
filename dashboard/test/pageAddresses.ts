import { CURRENT_ROUND, evaluators, proposer, solvers } from './fixtures/swarm.ts'

const peerOf = ([peer]: readonly { peerKey: string }[]) => `/peers/${peer?.peerKey}`

/** Addresses of the made-up swarm by the page that answers them, under `src/app`: each kind of page, and each that differs much. */
export const pageAddresses: Readonly<Record<string, readonly string[]>> = {
  '(swarm)/page.tsx': ['/', '/?all=1'],
  '(swarm)/run/page.tsx': ['/run'],
  '(swarm)/rounds/page.tsx': ['/rounds'],
  '(swarm)/rounds/[round]/page.tsx': [CURRENT_ROUND, CURRENT_ROUND - 2, CURRENT_ROUND - 8].map(at => `/rounds/${at}`),
  '(swarm)/peers/[peerKey]/page.tsx': [solvers, evaluators, [proposer]].map(peerOf),
  '(swarm)/roles/page.tsx': ['/roles'],
  '(swarm)/market/page.tsx': ['/market'],
  '(swarm)/market/[gameId]/page.tsx': ['/market/1', '/market/0'],
  '(swarm)/bettors/[account]/page.tsx': [`/bettors/${solvers[0]?.account}`],
  'register/page.tsx': ['/register'],
  'not-found.tsx': ['/nothing'],
}

export const allAddresses: readonly string[] = Object.values(pageAddresses).flat()
