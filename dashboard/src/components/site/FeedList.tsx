'use client'

import Link from 'next/link'
import { useLive } from '#live/LiveProvider.tsx'
import { feedSentence } from '#merge/feedSentence.ts'
import { mergeFeed } from '#merge/mergeFeed.ts'
import type { FeedItem } from '#sources/getFeed.ts'
import { BlockTime } from '../BlockTime.tsx'
import { DanceGlyph } from '../DanceGlyph.tsx'
import { Notice } from '../Notice.tsx'

const SHOWN = 16

/** The page's events and, at once, those that the stream brings after it. */
export function FeedList({ page }: { page: FeedItem[] }) {
  const items = mergeFeed(page, useLive(), SHOWN)
  if (items.length === 0) {
    return (
      <Notice title="Nothing has happened yet.">
        Registrations, commitments and votes appear here as the chain records them.
      </Notice>
    )
  }
  return (
    <ol>
      {items.map(item => (
        <li key={item.id} className="flex gap-2.5 border-b border-line py-2 text-sm">
          {item.peerKey ? <DanceGlyph peerKey={item.peerKey} size={22} /> : <span className="w-[22px]" />}
          <div className="min-w-0">
            <p>
              {item.peerKey && (
                <Link href={`/peers/${item.peerKey}`} className="casual font-semibold no-underline hover:underline">
                  {item.peer?.name || 'A new peer'}
                </Link>
              )}{' '}
              {feedSentence(item)}
            </p>
            <p className="text-xs text-soft">
              {item.round !== null && <Link href={`/rounds/${item.round}`}>Round {item.round}</Link>}{' '}
              {item.detail.gameId && <Link href={`/market/${item.detail.gameId}`}>Game {item.detail.gameId}</Link>}{' '}
              <BlockTime atSec={item.atSec} />
            </p>
          </div>
        </li>
      ))}
    </ol>
  )
}
