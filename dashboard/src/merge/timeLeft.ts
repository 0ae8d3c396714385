/** Units of a countdown, each used from two of it on, so that the last minute is counted in seconds. */
const units = [
  { sec: 86_400, name: 'days' },
  { sec: 3_600, name: 'hours' },
  { sec: 60, name: 'minutes' },
] as const

/** The time that is left, in words: `90 s`, `12 minutes`, `3 days`. Rounded down, so that nobody comes too late. */
export function timeLeft(seconds: number): string {
  const unit = units.find(({ sec }) => seconds >= 2 * sec)
  return unit === undefined ? `${seconds} s` : `${Math.floor(seconds / unit.sec)} ${unit.name}`
}
