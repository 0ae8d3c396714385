const units = [
  { name: 's', sec: 1 },
  { name: 'min', sec: 60 },
  { name: 'h', sec: 3_600 },
  { name: 'd', sec: 86_400 },
] as const

/** Whole units that an axis needs at least, to have ticks up to its end. */
const LEAST = 2

interface TimeAxis {
  /** Position of a time, in units since the first. */
  at: (sec: number) => number
  /** First and last position. */
  domain: [number, number]
  format: (position: number) => string
}

/** Axis of the time since `firstSec`, in the largest unit of which there are at least two until `lastSec`. */
export function timeAxis(firstSec: number, lastSec: number): TimeAxis {
  const { name, sec } = units.findLast(unit => lastSec - firstSec >= LEAST * unit.sec) ?? units[0]
  const at = (time: number) => (time - firstSec) / sec
  return { at, domain: [0, at(lastSec)], format: position => `${position} ${name}` }
}
