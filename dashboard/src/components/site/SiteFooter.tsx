import type { Network } from '#sources/network.ts'

/** Links to check everything that the pages show. */
export function SiteFooter({ network }: { network: Network | null }) {
  if (network === null) return null
  const contracts = [
    ['Rounds', network.rounds],
    ['PeerRegistry', network.peerRegistry],
  ]
  return (
    <footer className="mx-auto w-full max-w-6xl px-4 text-sm text-soft sm:px-6">
      <div className="border-t border-line py-8">
        <p>
          Chain {network.chainId}, read at <span className="figures break-all">{network.rpcOrigin}</span>
        </p>
        <p className="mt-1">
          <a href="/register">Register a peer, or move one to another account</a>
        </p>
        <ul className="mt-1 flex flex-wrap gap-x-6 gap-y-1">
          {contracts.map(([name, address]) => (
            <li key={name}>
              {name} <span className="figures break-all">{address}</span>
            </li>
          ))}
        </ul>
      </div>
    </footer>
  )
}
