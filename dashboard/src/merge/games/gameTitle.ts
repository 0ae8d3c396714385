import { z } from 'zod'
import { visibleText } from '../visibleText.ts'

const MOST_CHOICES = 16
const line = (most: number) => z.string().max(most).transform(oneLine).pipe(z.string().min(1))

const details = z.object({
  question: line(500),
  choices: z.array(line(160)).max(MOST_CHOICES),
})

/** A game's title. */
interface GameTitle {
  question: string
  /** Name of a choice; its number where the Judge gave none, and with it where two look the same. */
  nameOf: (choice: number) => string
}

/** Parses a Judge's text, which may be anything: unless it is the agreed JSON, the game has no title. */
export function gameTitle(gameId: bigint, text: string): GameTitle {
  const parsed = details.safeParse(jsonOrNull(text))
  const { question, choices } = parsed.success ? parsed.data : { question: `Game ${gameId}`, choices: [] }
  const named = (choice: number) => choices[choice] ?? `Choice ${choice}`
  const seen = Array.from({ length: MOST_CHOICES }, (_, choice) => look(named(choice)))
  const isRepeated = (choice: number) => seen.indexOf(look(named(choice))) !== seen.lastIndexOf(look(named(choice)))
  return { question, nameOf: choice => (isRepeated(choice) ? `${named(choice)} (${choice})` : named(choice)) }
}

function oneLine(text: string): string {
  return visibleText(text).replace(/\s+/g, ' ').trim()
}

/** Look of a name to a reader: the same for names that differ only in their case, width or invisible characters. */
function look(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\p{Cf}\s]/gu, '')
    .toLowerCase()
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
