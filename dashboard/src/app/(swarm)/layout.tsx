import type { ReactNode } from 'react'
import { StaleBanner } from '#components/site/StaleBanner.tsx'
import { LiveProvider } from '#live/LiveProvider.tsx'
import { readEnvironment } from '#sources/environment.ts'

/** Layout of the pages that follow the swarm. The not-found page does not use it: each refresh would load it again. */
export default function SwarmLayout({ children }: { children: ReactNode }) {
  return (
    <LiveProvider hasStream={readEnvironment().indexerUrl !== null}>
      <StaleBanner />
      {children}
    </LiveProvider>
  )
}
