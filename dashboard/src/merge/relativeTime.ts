const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Time since an event, in words: `3 minutes ago`, `now`. Times in the future count as now. Times are Unix seconds. */
export function relativeTime(atSec: number, nowSec: number): string {
  const agoSec = Math.max(0, Math.floor(nowSec - atSec))
  const [unit, seconds] = units.find(([, least]) => agoSec >= least) ?? units[3]
  return words.format(-Math.floor(agoSec / seconds), unit)
}

/** The time that is left, in the largest unit of which there are two: `90 s`, `12 minutes`, `3 days`. Rounded down, so that nobody comes too late. */
export function timeLeft(leftSec: number): string {
  const [unit, seconds] = units.find(([, least]) => leftSec >= 2 * least) ?? units[3]
  return unit === 'second' ? `${leftSec} s` : `${Math.floor(leftSec / seconds)} ${unit}s`
}
