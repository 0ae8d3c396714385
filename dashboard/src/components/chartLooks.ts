/** How all charts look; the colours are those of the page, light and dark. */
export const axis = {
  tick: { fill: 'var(--soft)', fontSize: 12 },
  stroke: 'var(--line)',
  tickLine: false,
} as const

export const grid = { stroke: 'var(--line)', vertical: false } as const

export const tooltip = {
  contentStyle: {
    background: 'var(--comb)',
    border: '1px solid var(--line)',
    borderRadius: 8,
    color: 'var(--ink)',
    fontSize: 14,
  },
  labelStyle: { fontWeight: 650 },
  itemStyle: { color: 'var(--ink)', padding: 0 },
  cursor: { stroke: 'var(--soft)', strokeDasharray: '2 4' },
} as const
