import type { FeedItem } from '#sources/getFeed.ts'
import type { Part } from '#sources/part.ts'
import { PartDown } from '../PartDown.tsx'
import { FeedList } from './FeedList.tsx'
import { LiveBadge } from './LiveBadge.tsx'

/** Latest events of the contracts, newest first. */
export async function Feed({ feed }: { feed: Promise<Part<FeedItem[]>> }) {
  const part = await feed
  return (
    <section aria-labelledby="feed" className="min-w-0">
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-3">
        <h2 id="feed" className="text-2xl">
          As it happens
        </h2>
        <LiveBadge isDown={part.state === 'down'} />
      </div>
      <div className="mt-4">{part.state === 'down' ? <PartDown part={part} /> : <FeedList page={part.data} />}</div>
    </section>
  )
}
