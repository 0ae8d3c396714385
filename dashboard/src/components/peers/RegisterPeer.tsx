'use client'

import { useState } from 'react'
import { useAccount } from '#chain/AccountProvider.tsx'
import { useChain } from '#chain/ChainProvider.tsx'
import { useSend } from '#chain/useSend.ts'
import { ActionButton, Trouble } from '../ActionButton.tsx'
import { CopyText } from '../CopyText.tsx'
import { Notice } from '../Notice.tsx'

/** Takes the proof of a peer's key, and has the account's wallet send it. */
export function RegisterPeer() {
  const chain = useChain()
  const { address } = useAccount()
  const { isBusy, trouble, send } = useSend()
  const [text, setText] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  if (chain === null || address === null)
    return (
      <section aria-labelledby="proof" className="mt-6 max-w-prose">
        <Command account="ACCOUNT" />
        <p className="mt-2 text-soft">
          ACCOUNT is the address that will own the peer, and DIR the peer’s folder. The account’s wallet sends what the
          command prints.
        </p>
        <div className="mt-6">
          <Notice title="Then connect that account.">The button is at the top of the page.</Notice>
        </div>
      </section>
    )

  async function register() {
    if (chain === null || address === null) return
    const { registerCall } = await import('#chain/calls/registerCalls.ts')
    const call = registerCall(chain, address, text)
    setFault(typeof call === 'string' ? call : null)
    // A proof registers once: sent again, the contract would take it for that of another key.
    if (typeof call !== 'string' && (await send([call]))) setText(now => (now === text ? '' : now))
  }

  return (
    <section aria-labelledby="proof" className="mt-6 max-w-prose">
      <Command account={address} />
      <label className="mt-4 block text-sm">
        What it prints
        <textarea
          className="figures mt-1 h-32 w-full rounded-cell border border-soft bg-wax px-3 py-2 text-sm"
          value={text}
          spellCheck={false}
          onChange={event => setText(event.target.value)}
        />
      </label>
      <ActionButton isBusy={isBusy} isOff={text.trim() === ''} onClick={() => register()}>
        Register
      </ActionButton>
      <Trouble text={fault ?? trouble} />
    </section>
  )
}

/** The first step, which needs no wallet. */
function Command({ account }: { account: string }) {
  return (
    <>
      <h2 id="proof" className="text-2xl">
        Proof
      </h2>
      <p className="mt-2">Where the peer’s folder is, with the options that it starts with:</p>
      <div className="mt-2">
        <CopyText text={`npx waggle prove ${account} --data DIR`} label="command" />
      </div>
    </>
  )
}
