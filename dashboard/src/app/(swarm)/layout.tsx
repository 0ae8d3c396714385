import type { ReactNode } from 'react'
import { LiveProvider } from '#live/LiveProvider.tsx'
import { readEnvironment } from '#sources/environment.ts'

/** The pages that follow the swarm. An address that names nothing is not among them: reading it again would load it anew each time. */
export default function SwarmLayout({ children }: { children: ReactNode }) {
  return <LiveProvider hasStream={readEnvironment().indexerUrl !== null}>{children}</LiveProvider>
}
