import { z } from 'zod'

const details = z.object({
  question: z.string().min(1).max(500),
  choices: z.array(z.string().min(1).max(160)).max(16),
})

/** What a game is about, for people. */
interface GameTitle {
  question: string
  /** Name of a choice; its number where the Judge gave none. */
  nameOf: (choice: number) => string
}

/** Reads what the Judge wrote, which may be anything: what is not the agreed JSON is shown as no title at all. */
export function gameTitle(gameId: bigint, text: string): GameTitle {
  const parsed = details.safeParse(jsonOrNull(text))
  const { question, choices } = parsed.success ? parsed.data : { question: `Game ${gameId}`, choices: [] }
  return { question, nameOf: choice => choices[choice] ?? `Choice ${choice}` }
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
