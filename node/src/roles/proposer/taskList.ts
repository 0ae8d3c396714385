import { encodeProposal, MAX_PROPOSAL_BYTES, MAX_TASKS } from '#core/taskProposal.ts'
import type { Environment } from '#environments/environment.ts'
import { problemOf } from '../admitTasks.ts'
import { proposalsOf } from './proposalsOf.ts'

/** Of a proposal's bytes, what one task may take, deflated: 2 KiB cost some 50,000 gas. */
const MAX_TASK_BYTES = MAX_PROPOSAL_BYTES / 8

/** The tasks of one proposal, while they are gathered. */
export type TaskList = {
  readonly texts: readonly string[]
  /** Texts that were not taken, by reason. */
  readonly refused: Readonly<Record<string, number>>
  /** Tasks that are still wanted. */
  wanted(): number
  /** Takes a text, unless it does not fit, or asks for what another one does. @param fault - why it is refused; null where nothing is known. */
  add(text: string, fault: string | null): Promise<boolean>
  refuse(reason: string): void
}

/** @param count - of tasks that are wanted. */
export function createTaskList(environment: Environment, level: number, count: number): TaskList {
  const proposals = proposalsOf(environment)
  const texts: string[] = []
  const refused: Record<string, number> = {}
  const keys = new Set<string>()
  const refuse = (reason: string) => {
    refused[reason] = (refused[reason] ?? 0) + 1
  }
  const flawOf = async (text: string): Promise<string | null> => {
    if (keys.has(await proposals.keyOf(text))) return 'repeated'
    if (encodeProposal({ level, texts: [text] }).byteLength > MAX_TASK_BYTES) return 'too large for calldata'
    if ((await problemOf(text, environment)) === null) return 'longer than a prompt'
    const bytes = encodeProposal({ level, texts: [...texts, text] }).byteLength
    return bytes > MAX_PROPOSAL_BYTES ? 'no more space in the proposal' : null
  }
  return {
    texts,
    refused,
    wanted: () => Math.max(0, Math.min(count, MAX_TASKS) - texts.length),
    refuse,
    async add(text, fault) {
      const flaw = fault ?? (await flawOf(text))
      if (flaw !== null) {
        refuse(flaw)
        return false
      }
      keys.add(await proposals.keyOf(text))
      texts.push(text)
      return true
    },
  }
}
