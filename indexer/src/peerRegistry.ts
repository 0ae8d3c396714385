import { bootnodeSet, peer } from 'ponder:schema'
import { peerName } from '@waggle/node/core/peerName'
import { addToFeed } from './feed.ts'
import { on } from './on.ts'
import { updatePeer } from './peerRow.ts'

on('PeerRegistry:PeerRegistered', async ({ event, context }) => {
  const { peerKey, account, peerId } = event.args
  const countsFromRound = Number(event.args.fromRound)
  const name = peerName(peerId)
  await context.db
    .insert(peer)
    .values({ peerKey, peerId, name, account, registeredAtSec: Number(event.block.timestamp), countsFromRound })
  await addToFeed(context, event, {
    kind: 'peerRegistered',
    peerKey,
    detail: { account, peerId, name, countsFromRound },
  })
})

on('PeerRegistry:PeerMoved', async ({ event, context }) => {
  const { peerKey, from, to } = event.args
  await updatePeer(context, peerKey, ({ moves }) => ({ account: to, moves: moves + 1 }))
  await addToFeed(context, event, { kind: 'peerMoved', peerKey, detail: { from, to } })
})

on('PeerRegistry:BootnodesSet', async ({ event, context }) => {
  // A zero byte is legal on the chain and fatal to Postgres.
  const multiaddrs = event.args.multiaddrs.map(multiaddr => multiaddr.replaceAll('\0', ''))
  await context.db.insert(bootnodeSet).values({ id: 'bootnodes', multiaddrs }).onConflictDoUpdate({ multiaddrs })
  await addToFeed(context, event, { kind: 'bootnodesSet', detail: { count: multiaddrs.length } })
})
