import { weekdays } from '../readAnswer.ts'
import { type Bounds, type ByLevel, type Family, integerAnswer } from './family.ts'

const DAY_MS = 86_400_000
/** Days from 1970-01-01 on. */
const [FIRST_DAY, LAST_DAY] = [Date.UTC(1990, 0, 1) / DAY_MS, Date.UTC(2039, 11, 31) / DAY_MS]

/** A day as YYYY-MM-DD, in the Gregorian calendar. */
const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)

const distances: ByLevel<Bounds> = { 1: [2, 30], 2: [8, 100], 3: [2, 27], 4: [30, 400], 5: [30, 2000] }

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

export const dates: Family = (level, random) => {
  const days = random.between(...distances[level])
  const isBefore = level > 1 && random.chance(0.5)
  if (level < 3) {
    const today = random.between(0, 6)
    const then = (((today + (isBefore ? -days : days)) % 7) + 7) % 7
    const asked = isBefore ? `was it ${days} days ago` : `will it be in ${days} days`
    const question = `Today is ${capitalised(weekdays[today] as string)}. Which day of the week ${asked}?`
    return { question, kind: 'weekday', answer: weekdays[then] as string }
  }
  const day = random.between(FIRST_DAY, LAST_DAY)
  if (level === 5 && random.chance(0.5))
    return integerAnswer(`How many days are there from ${dateOf(day)} to ${dateOf(day + days)}?`, days)
  const then = day + (isBefore ? -days : days)
  const question = `Which date is ${days} days ${isBefore ? 'before' : 'after'} ${dateOf(day)}?`
  return { question, kind: 'date', answer: dateOf(then) }
}
