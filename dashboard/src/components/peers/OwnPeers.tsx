'use client'

import Link from 'next/link'
import { useEffect, useState } from 'react'
import { useAccount } from '#chain/AccountProvider.tsx'
import { readUntilAnswered } from '#chain/readUntilAnswered.ts'
import { Notice } from '../Notice.tsx'
import { PeerLink } from '../PeerLink.tsx'

/** Names come from ids by a rule that runs on the server; without it the ids still tell. */
function useNames(peerIds: string[]): Record<string, string> {
  const [names, setNames] = useState<Record<string, string>>({})
  const query = peerIds.map(peerId => `id=${encodeURIComponent(peerId)}`).join('&')
  useEffect(() => {
    if (query === '') return
    return readUntilAnswered(() => fetch(`/names?${query}`).then(response => response.json()), setNames)
  }, [query])
  return names
}

/** The connected account's own peers, as PeerRegistry on the chain has them. */
export function OwnPeers() {
  const { address, peers } = useAccount()
  const names = useNames(peers?.shown.map(({ peerId }) => peerId) ?? [])
  if (address === null) return null
  return (
    <section aria-labelledby="own-peers" className="mt-12">
      <h2 id="own-peers" className="text-2xl">
        Your peers
      </h2>
      {peers === null && <p className="mt-3 text-soft">Asking the chain.</p>}
      {peers?.keys.size === 0 && (
        <div className="mt-3">
          <Notice title="This account has no peers yet.">
            Start one with npx waggle init, and register it from this account.
          </Notice>
        </div>
      )}
      <ul className="mt-3 flex flex-wrap gap-x-8 gap-y-4">
        {peers?.shown.map(peer => (
          <li key={peer.peerKey}>
            <PeerLink peer={{ ...peer, name: names[peer.peerId] ?? 'Your peer' }} />
          </li>
        ))}
      </ul>
      {peers !== null && peers.keys.size > peers.shown.length && (
        <p className="mt-3 text-soft">
          And {peers.keys.size - peers.shown.length} more, <Link href={`/?q=${address}`}>listed by the index</Link>.
        </p>
      )}
    </section>
  )
}
