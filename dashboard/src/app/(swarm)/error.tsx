'use client'

import { Notice } from '#components/Notice.tsx'

/** A fault of the dashboard itself; unavailable sources are handled elsewhere. */
export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <>
      <h1 className="mb-6 text-4xl">This page broke</h1>
      <Notice trouble title={error instanceof Error && error.message ? error.message : 'The dashboard made a mistake.'}>
        <p>Try again. If the error persists, the dashboard’s log says more. The swarm itself is not affected.</p>
      </Notice>
      <button type="button" className="mt-6 rounded-full border-2 border-ink px-4 py-1.5 font-semibold" onClick={retry}>
        Try again
      </button>
    </>
  )
}
