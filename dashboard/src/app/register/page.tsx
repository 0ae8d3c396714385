import type { Metadata } from 'next'
import { RegisterPeer } from '#components/peers/RegisterPeer.tsx'

export const metadata: Metadata = { title: 'Register a peer' }

export default function RegisterPage() {
  return (
    <>
      <h1 className="text-5xl">Register a peer</h1>
      <p className="mt-3 max-w-prose text-soft">
        An account owns a peer once the peer’s key has signed a proof for it. A new proof moves the peer to another
        account.
      </p>
      <RegisterPeer />
    </>
  )
}
