import type { Interval } from './compareArms.ts'

const [WIDTH, PANEL, LEFT, TOP, BOTTOM] = [860, 330, 48, 30, 40]
const colours = ['#555555', '#d9a514', '#a33b3b', '#2f6d8c', '#5b8c3a', '#7a4fa3']

export type Curve = { title: string; points: readonly { x: number; y: Interval }[] }
type Panel = { title: string; curves: readonly Curve[] }

/** Curves with whiskers of their intervals, panels one under the other, each with its legend to the right. */
export function plotCurves(title: string, axis: string, panels: readonly Panel[]): string {
  const height = panels.length * PANEL
  const body = panels.map((panel, i) => plotPanel(panel, axis, i * PANEL)).join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<title>${title}</title>
<rect width="${WIDTH}" height="${height}" fill="#fbfbf6"/>
${body}
</svg>
`
}

function plotPanel({ title, curves }: Panel, axis: string, top: number): string {
  const points = curves.flatMap(curve => curve.points)
  const right = 560
  const xMax = Math.max(...points.map(({ x }) => x))
  const [low, high] = [
    Math.min(...points.map(({ y }) => y.mean)) - 0.05,
    Math.max(...points.map(({ y }) => y.mean)) + 0.05,
  ]
  const x = (value: number) => LEFT + (value / xMax) * (right - LEFT)
  const y = (value: number) => {
    const inside = Math.min(high, Math.max(low, value))
    return top + TOP + ((high - inside) / (high - low)) * (PANEL - TOP - BOTTOM)
  }
  const bottom = y(low)
  const ticks = Array.from({ length: 20 }, (_, i) => i / 20).filter(value => value > low && value < high)
  return [
    text(LEFT, top + 18, title),
    line(LEFT, bottom, right, bottom, '#555'),
    ...ticks.map(value => line(LEFT, y(value), right, y(value), '#e2e2da') + text(12, y(value) + 4, value.toFixed(2))),
    ...[0, 0.25, 0.5, 0.75, 1].map(share =>
      text(x(share * xMax) - 12, bottom + 16, Math.round(share * xMax).toString()),
    ),
    text(LEFT, bottom + 32, axis),
    ...curves.map(({ title: says, points: of }, i) => {
      const colour = colours[i % colours.length] as string
      const path = of.map(point => `${x(point.x).toFixed(1)},${y(point.y.mean).toFixed(1)}`).join(' ')
      const whiskers = of.map(({ x: at, y: { mean, half } }) =>
        half === null ? '' : line(x(at) + i, y(mean - half), x(at) + i, y(mean + half), colour, 0.6),
      )
      const key = `<rect x="${right + 20}" y="${top + 40 + i * 20}" width="10" height="10" fill="${colour}"/>`
      const label = text(right + 36, top + 49 + i * 20, says)
      return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${whiskers.join('')}${key}${label}`
    }),
  ].join('\n')
}

function line(x1: number, y1: number, x2: number, y2: number, colour: string, opacity = 1): string {
  const [a, b, c, d] = [x1, y1, x2, y2].map(value => value.toFixed(1))
  return `<line x1="${a}" y1="${b}" x2="${c}" y2="${d}" stroke="${colour}" stroke-opacity="${opacity}"/>`
}

function text(x: number, y: number, content: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="#333">${content}</text>`
}
