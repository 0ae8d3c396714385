import type { AttackRow } from './market/simulateMarket.ts'

const WIDTH = 720
const LABEL = 150
const BAR = 16
const GROUP = 3 * BAR + 22
const series = [
  { key: 'honest', says: 'honest play', colour: '#3f7d58' },
  { key: 'earned', says: 'the attack', colour: '#d9a514' },
  { key: 'undefended', says: 'the attack without its defence', colour: '#a33b3b' },
] as const

/** Bars of what each attack earned, beside honest play and the attack without its defence. */
export function plotAttacks(rows: readonly AttackRow[], games: number): string {
  const means = rows.flatMap(row => series.map(({ key }) => row[key].mean))
  const [low, high] = [Math.min(0, ...means), Math.max(0, ...means)]
  const scale = (WIDTH - LABEL - 60) / (high - low || 1)
  const x = (value: number) => LABEL + (value - low) * scale
  const height = rows.length * GROUP + 60
  const bars = rows.flatMap((row, i) => [
    text(8, 40 + i * GROUP + 1.9 * BAR, row.attack),
    ...series.map(({ key, colour }, j) => {
      const { mean } = row[key]
      const y = 40 + i * GROUP + j * BAR
      const bar = `<rect x="${x(Math.min(0, mean)).toFixed(1)}" y="${y}" width="${(Math.abs(mean) * scale).toFixed(1)}" height="${BAR - 3}" fill="${colour}"/>`
      return bar + text(x(Math.max(0, mean)) + 4, y + BAR - 5, mean.toFixed(2))
    }),
  ])
  const legend = series.map(({ says, colour }, i) => {
    const at = LABEL + i * 150
    return `<rect x="${at}" y="14" width="10" height="10" fill="${colour}"/>${text(at + 14, 23, says)}`
  })
  const axis = `<line x1="${x(0).toFixed(1)}" y1="34" x2="${x(0).toFixed(1)}" y2="${height - 24}" stroke="#777"/>`
  const caption = text(LABEL, height - 8, `mean of ${games} games, in bets of the crowd`)
  const body = [...legend, axis, ...bars, caption].join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<title>What attacks on the market earned</title>
<rect width="${WIDTH}" height="${height}" fill="#fbfbf6"/>
${body}
</svg>
`
}

function text(x: number, y: number, content: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="#333">${content}</text>`
}
