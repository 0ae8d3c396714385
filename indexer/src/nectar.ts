import { ponder } from 'ponder:registry'
import { addToFeed } from './feed.ts'
import { updatePeer } from './peerRow.ts'

ponder.on('Nectar:NectarClaimed', async ({ event, context }) => {
  const { peerKey, account, amountWei } = event.args
  await updatePeer(context, peerKey, row => ({ claimedWei: row.claimedWei + amountWei }))
  await addToFeed(context, event, {
    kind: 'nectarClaimed',
    peerKey,
    detail: { account, amountWei: String(amountWei) },
  })
})
