const DECIMALS = 4

/** An amount with four decimals, rounded down, so that it never exceeds the exact one. */
export function readableAmount(exact: string): string {
  const [whole = '0', decimals = ''] = exact.split('.')
  const shown = decimals.slice(0, DECIMALS).replace(/0+$/, '')
  if (shown !== '') return `${whole}.${shown}`
  return whole === '0' && decimals !== '' ? `under 0.${'1'.padStart(DECIMALS, '0')}` : whole
}
