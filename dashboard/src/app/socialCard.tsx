import { ImageResponse } from 'next/og'

export const cardSize = { width: 1200, height: 630 }

interface Card {
  /** Above the title: what kind of page this is. */
  kind: string
  title: string
  /** Below it, a line each. */
  lines: readonly string[]
}

const LONGEST = 120
const [WAX, INK, SOFT, HONEY] = ['#f6f7f1', '#22223a', '#5c5b70', '#f5b631']

/** What the built-in font has: for other letters the library would fetch a font from elsewhere. */
const drawable = (text: string) => text.slice(0, LONGEST).replace(/[^\x20-\x7e\u00a1-\u00ff]/g, '.')

/** The picture that a link to a page shows in chats and feeds. */
export function socialCard({ kind, title, lines }: Card): ImageResponse {
  const column = { display: 'flex', flexDirection: 'column' } as const
  return new ImageResponse(
    <div style={{ ...column, width: '100%', height: '100%', background: WAX, color: INK, padding: 80 }}>
      <div style={{ display: 'flex', alignItems: 'center', gap: 24, fontSize: 36, color: SOFT }}>
        <svg width="56" height="64" viewBox="0 0 56 64" aria-hidden="true">
          <path d="M28 0 56 16v32L28 64 0 48V16Z" fill={HONEY} />
        </svg>
        {`Waggle, ${drawable(kind)}`}
      </div>
      <div
        style={{ display: 'flex', flexGrow: 1, alignItems: 'center', fontSize: 84, fontWeight: 700, lineHeight: 1.1 }}
      >
        {drawable(title)}
      </div>
      <div style={{ ...column, gap: 12, fontSize: 40, borderTop: `8px solid ${HONEY}`, paddingTop: 32 }}>
        {lines.map(line => (
          <div key={line}>{drawable(line)}</div>
        ))}
      </div>
    </div>,
    cardSize,
  )
}
