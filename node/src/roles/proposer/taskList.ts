import { MAX_TASK_BYTES, MAX_TASKS } from '@waggle/deployments/protocol'
import { encodeProposal } from '#core/payloads/taskProposal.ts'
import type { Environment } from '#environments/environment.ts'
import { problemOf } from '../draws/drawTasks.ts'
import { proposalsOf } from './proposalsOf.ts'

/** Maximum of deflated bytes of one task in a proposal: 2 KiB cost about 50,000 gas. */
const MAX_BYTES_OF_ONE = MAX_TASK_BYTES / 8

/** Reason for refusing a valid text that does not fit. */
export const NO_SPACE = 'no more space in the proposal'

/** Texts without space in a row after which a proposal is full: a shorter one may still fit after the first. */
export const MISSES = 4

/** The tasks of a proposal in preparation. */
export type TaskList = {
  readonly texts: readonly string[]
  /** Texts that were not taken, by reason. */
  readonly refused: Readonly<Record<string, number>>
  /** Tasks that are still wanted; 0 once the proposal is full. */
  wanted(): number
  /** Bytes of the proposal after the next `count` tasks, if all wanted ones have equal parts of the space that is left. */
  bytesAfter(count: number): number
  /**
   * Adds a text to the end of `texts`, unless it does not fit or is equivalent to another one.
   *
   * @param fault - reason to refuse it; null if none is known.
   * @param most - bytes of the proposal up to which it has space; the maximum.
   * @returns reason why it was not added; null if it was.
   */
  add(text: string, fault: string | null, most?: number): Promise<string | null>
  refuse(reason: string): void
  /** Number of recently proposed tasks that were set aside. */
  setAside(): number
  /** Adds tasks that were set aside, the oldest first, until no more are wanted or none is left. */
  repeat(): Promise<void>
}

/**
 * @param count - of tasks that are wanted.
 * @param lately - recently proposed tasks, with their round: set aside as long as there are others.
 */
export function createTaskList(
  environment: Environment,
  level: number,
  count: number,
  lately: ReadonlyMap<string, number> = new Map(),
): TaskList {
  const proposals = proposalsOf(environment)
  const texts: string[] = []
  const refused: Record<string, number> = {}
  const keys = new Map<string, string>()
  const aside = new Map<string, { text: string; round: number }>()
  const mostTasks = Math.min(count, MAX_TASKS)
  let misses = 0
  const take = (text: string, key: string) => {
    keys.set(key, text)
    texts.push(text)
    misses = 0
  }
  const wanted = () => (misses >= MISSES ? 0 : Math.max(0, mostTasks - texts.length))
  const bytesOf = (all: readonly string[]) => encodeProposal({ level, texts: all }).byteLength
  const refuse = (reason: string) => {
    refused[reason] = (refused[reason] ?? 0) + 1
  }
  const flawOf = async (text: string, key: string, most = MAX_TASK_BYTES): Promise<string | null> => {
    if (proposals.nearest(key, keys) !== null) return 'repeated'
    if (bytesOf([text]) > MAX_BYTES_OF_ONE) return 'too large for calldata'
    if ((await problemOf(text, environment)) === null) return 'longer than a prompt'
    return bytesOf([...texts, text]) > most ? NO_SPACE : null
  }
  return {
    texts,
    refused,
    wanted,
    bytesAfter(count) {
      const used = bytesOf(texts)
      return used + (MAX_TASK_BYTES - used) * Math.min(1, count / Math.max(1, wanted()))
    },
    refuse,
    setAside: () => aside.size,
    async add(text, fault, most = MAX_TASK_BYTES) {
      const key = await proposals.keyOf(text)
      const flaw = fault ?? (await flawOf(text, key, most))
      if (flaw === NO_SPACE && most === MAX_TASK_BYTES) misses++
      const known = flaw === null ? proposals.nearest(key, lately) : null
      if (known !== null) aside.set(key, { text, round: lately.get(known) ?? 0 })
      const reason = flaw ?? (known === null ? null : 'proposed in the last 16 rounds')
      if (reason === null) take(text, key)
      else refuse(reason)
      return reason
    },
    async repeat() {
      const oldest = [...aside].sort(([, one], [, other]) => one.round - other.round)
      aside.clear()
      for (const [key, { text }] of oldest) {
        if (texts.length >= mostTasks) return
        if ((await flawOf(text, key)) === null) take(text, key)
      }
    },
  }
}
