import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { z } from 'zod'
import { type CaseResult, MAX_REPR, type PythonCase } from './runCode.ts'

/** `broken`: the child ended, or wrote something other than the answer. It is dead either way. */
export type AskedResult = CaseResult | { outcome: 'broken' }

/** One case at a time for one child process, which is not trusted. */
type CaseChannel = {
  /** `timeout` after `silenceMs` without an answer as well. */
  ask(given: PythonCase, silenceMs: number): Promise<AskedResult>
}

type ChannelOptions = {
  requests: Writable
  answers: Readable
  /** Ends the process at once: after silence, and after any output that is not the answer to the case in flight. */
  kill(): void
}

const value = z.string().max(MAX_REPR).nullable()
const answerSchema = z.discriminatedUnion('outcome', [
  z.strictObject({ id: z.uuid(), outcome: z.literal('values'), values: z.array(value) }),
  z.strictObject({ id: z.uuid(), outcome: z.enum(['error', 'timeout']) }),
])
/** An escaped character of JSON takes at most six bytes. */
const maxAnswerBytes = (expressions: number) => 256 + expressions * 6 * MAX_REPR

type InFlight = { id: string; given: PythonCase; settle(result: AskedResult): void }

export function openCaseChannel({ requests, answers, kill }: ChannelOptions): CaseChannel {
  let inFlight: InFlight | null = null
  let isDead = false
  let pieces: Buffer[] = []
  let received = 0

  const end = (result: AskedResult) => {
    isDead = true
    kill()
    inFlight?.settle(result)
  }
  answers.on('data', (chunk: Buffer) => {
    if (isDead) return
    pieces.push(chunk)
    received += chunk.length
    if (!inFlight || received > maxAnswerBytes(inFlight.given.expressions.length)) return end({ outcome: 'broken' })
    const lineEnd = chunk.indexOf(10)
    if (lineEnd === -1) return
    if (lineEnd < chunk.length - 1) return end({ outcome: 'broken' })
    const result = readAnswer(Buffer.concat(pieces), inFlight)
    pieces = []
    received = 0
    return result ? inFlight.settle(result) : end({ outcome: 'broken' })
  })
  answers.on('error', () => end({ outcome: 'broken' }))
  answers.on('close', () => end({ outcome: 'broken' }))
  requests.on('error', () => end({ outcome: 'broken' }))

  return {
    ask: async (given, silenceMs) => {
      if (isDead) return { outcome: 'broken' }
      const id = randomUUID()
      let timer: NodeJS.Timeout | undefined
      const result = new Promise<AskedResult>(settle => {
        inFlight = { id, given, settle }
        timer = setTimeout(() => end({ outcome: 'timeout' }), silenceMs)
      })
      requests.write(`${JSON.stringify({ id, ...given })}\n`)
      return result.finally(() => {
        clearTimeout(timer)
        inFlight = null
      })
    },
  }
}

function readAnswer(line: Buffer, { id, given }: InFlight): CaseResult | null {
  const { success, data } = answerSchema.safeParse(parse(line.toString()))
  if (!success || data.id !== id) return null
  if (data.outcome !== 'values') return { outcome: data.outcome }
  return data.values.length === given.expressions.length ? { outcome: 'values', values: data.values } : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // the schema refuses it
  }
}
