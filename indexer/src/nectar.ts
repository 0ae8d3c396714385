import { addToFeed } from './feed.ts'
import { on } from './on.ts'
import { updatePeer } from './peerRow.ts'

on('Nectar:NectarClaimed', async ({ event, context }) => {
  const { peerKey, account, amountWei } = event.args
  await updatePeer(context, peerKey, row => ({ claimedWei: row.claimedWei + amountWei }))
  await addToFeed(context, event, {
    kind: 'nectarClaimed',
    peerKey,
    detail: { account, amountWei: String(amountWei) },
  })
})
