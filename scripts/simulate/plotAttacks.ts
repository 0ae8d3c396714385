import type { Earnings } from './earnings.ts'
import type { Trial } from './free/measure.ts'
import { describe } from './free/strategy.ts'

const WIDTH = 720
const LABEL = 150
const BAR = 16
const GROUP = 2 * BAR + 18
const COLOURS = { gain: '#d9a514', gainUndefended: '#a33b3b' }
const SAYS = { gain: 'the attack', gainUndefended: 'the attack without its defence' }

/** Gain of an attack over honest play, in the plot's unit. */
export interface Bars {
  attack: string
  gain: Earnings
  gainUndefended: Earnings
}

/** Bars of what each attack gained over honest play, which is the zero line; whiskers of two standard errors. */
export function plotAttacks(title: string, caption: string, rows: readonly Bars[], says = SAYS): string {
  const series = (['gain', 'gainUndefended'] as const).map(key => ({ key, says: says[key], colour: COLOURS[key] }))
  const ends = rows.flatMap(row => series.flatMap(({ key }) => [low(row[key]), high(row[key])]))
  const [from, to] = [Math.min(0, ...ends), Math.max(0, ...ends)]
  const scale = (WIDTH - LABEL - 60) / (to - from || 1)
  const x = (value: number) => LABEL + (value - from) * scale
  const height = rows.length * GROUP + 60
  const bars = rows.flatMap((row, i) => [
    text(8, 40 + i * GROUP + 1.4 * BAR, row.attack),
    ...series.map(({ key, colour }, j) => {
      const { mean } = row[key]
      const y = 40 + i * GROUP + j * BAR
      const middle = y + (BAR - 3) / 2
      const bar = `<rect x="${x(Math.min(0, mean)).toFixed(1)}" y="${y}" width="${(Math.abs(mean) * scale).toFixed(1)}" height="${BAR - 3}" fill="${colour}"/>`
      const whisker = line(x(low(row[key])), middle, x(high(row[key])), middle)
      return bar + whisker + text(x(Math.max(0, high(row[key]))) + 4, y + BAR - 5, mean.toFixed(1))
    }),
  ])
  const legend = series.map(({ says, colour }, i) => {
    const at = LABEL + i * 150
    return `<rect x="${at}" y="14" width="10" height="10" fill="${colour}"/>${text(at + 14, 23, says)}`
  })
  const body = [...legend, line(x(0), 34, x(0), height - 24), ...bars, text(LABEL, height - 8, caption)].join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<title>${title}</title>
<rect width="${WIDTH}" height="${height}" fill="#fbfbf6"/>
${body}
</svg>
`
}

/** Bars of what each strategy gains, and what everybody else loses by it. */
export function plotTrials(caption: string, trials: readonly Trial[]): string {
  const percent = ({ mean, error }: Earnings) => ({ mean: 100 * mean, error: (100 * error) / 1.96 })
  const rows = trials.map(({ strategy, profit, honestLoss }) => ({
    attack: describe(strategy).slice(0, 24),
    gain: percent(profit),
    gainUndefended: percent(honestLoss),
  }))
  const says = { gain: 'profit', gainUndefended: 'what honest peers lose' }
  return plotAttacks('The best strategies of free attackers', caption, rows, says)
}

const low = ({ mean, error }: Earnings) => mean - 2 * error
const high = ({ mean, error }: Earnings) => mean + 2 * error

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="#555"/>`
}

function text(x: number, y: number, content: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="#333">${content}</text>`
}
