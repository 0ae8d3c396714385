'use client'

import { useAccount } from '#chain/AccountProvider.tsx'

/** Marks a peer of the connected account. */
export function OwnTag({ peerKey }: { peerKey: string }) {
  const { peers } = useAccount()
  if (!peers?.keys.has(peerKey.toLowerCase())) return null
  return <span className="ml-1 rounded-full bg-honey px-2 py-0.5 align-middle text-xs font-bold text-night">yours</span>
}
