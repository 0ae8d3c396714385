import { ImageResponse } from 'next/og'

export const cardSize = { width: 1200, height: 630 }

interface Card {
  /** Above the title: what kind of page this is. */
  kind: string
  title: string
  /** Below it, a line each; three at most. */
  lines: readonly string[]
}

/** Letters of a title, which has up to four lines, and of any other line. */
const [TITLE, LINE] = [110, 48]
/** A title of up to so many letters is larger. */
const SHORT = 22
const [WAX, INK, SOFT, HONEY] = ['#f6f7f1', '#22223a', '#5c5b70', '#f5b631']

/** Letters of the built-in font: for others the library would fetch a font from the network. */
function drawable(text: string, most: number): string {
  const shown = text.replace(/[^\x20-\x7e\u00a1-\u00ff]/g, '.')
  return shown.length > most ? `${shown.slice(0, most - 3)}...` : shown
}

/** The preview image of a link to a page. */
export function socialCard({ kind, title, lines }: Card): ImageResponse {
  const column = { display: 'flex', flexDirection: 'column' } as const
  const fontSize = title.length > SHORT ? 52 : 84
  return new ImageResponse(
    <div style={{ ...column, width: '100%', height: '100%', background: WAX, color: INK, padding: 64 }}>
      <div style={{ display: 'flex', alignItems: 'center', gap: 24, fontSize: 36, color: SOFT }}>
        <svg width="56" height="64" viewBox="0 0 56 64" aria-hidden="true">
          <path d="M28 0 56 16v32L28 64 0 48V16Z" fill={HONEY} />
        </svg>
        {`Waggle, ${drawable(kind, LINE)}`}
      </div>
      <div style={{ display: 'flex', flexGrow: 1, alignItems: 'center', fontSize, lineHeight: 1.1 }}>
        {drawable(title, TITLE)}
      </div>
      <div style={{ ...column, gap: 8, fontSize: 36, borderTop: `8px solid ${HONEY}`, paddingTop: 24 }}>
        {lines.map(line => (
          <div key={line}>{drawable(line, LINE)}</div>
        ))}
      </div>
    </div>,
    cardSize,
  )
}
