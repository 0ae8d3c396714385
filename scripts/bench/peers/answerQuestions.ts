import { createInterface } from 'node:readline'

/** The other end of a peer: answers each JSON line of stdin with one on stdout. */
export async function answerQuestions<Question>(answer: (question: Question) => Promise<object>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    let reply: object
    try {
      reply = await answer(JSON.parse(line) as Question)
    } catch (error) {
      reply = { error: String(error) }
    }
    process.stdout.write(`${JSON.stringify(reply)}\n`)
  }
}
