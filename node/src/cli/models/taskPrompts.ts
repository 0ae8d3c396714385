import { ModelFileError } from '#model/modelErrors.ts'
import type { PretrainedTokenizer } from '#model/tokenizers/pretrainedTokenizer.ts'
import type { Refusal } from '#roles/datasets/datasetTasks.ts'
import type { NumberedTask } from '#roles/datasets/evaluateTasks.ts'

/** Prompts of tasks for a chat model. */
export type TaskPrompts = {
  /**
   * Token ids; null for a task that the model cannot be asked, which is counted.
   *
   * @throws {ModelFileError} if the chat template fails: it would for every task.
   */
  promptOf(task: NumberedTask): Int32Array | null
  /** Tasks that the model cannot be asked, counted by reason, with the first of each. */
  refusals(): Refusal[]
}

/** @param maxPositions - of the model: at least one has to be left for an answer. */
export function createTaskPrompts(
  tokenizer: Pick<PretrainedTokenizer, 'chatPrompt'>,
  maxPositions: number,
): TaskPrompts {
  const counted = new Map<string, Refusal>()
  const refuse = (place: string, problem: string): null => {
    const reason = `its prompt ${problem}; counts as unsolved`
    const found = counted.get(reason)
    if (found) found.rows += 1
    else counted.set(reason, { reason, rows: 1, ...fileAndRow(place) })
    return null
  }
  return {
    promptOf({ task, place }) {
      try {
        const prompt = tokenizer.chatPrompt([
          { role: 'system', content: task.system },
          { role: 'user', content: task.question },
        ])
        if (prompt.length < maxPositions) return prompt
        return refuse(place, `does not fit the model's ${maxPositions} positions`)
      } catch (error) {
        if (!(error instanceof ModelFileError) || error.field === 'chat_template') throw error
        return refuse(place, `cannot be encoded: the tokenizer's ${error.field} ${error.problem}`)
      }
    },
    refusals: () => [...counted.values()],
  }
}

/** A dataset's place is FILE:ROW; a held-out task has only a name. */
function fileAndRow(place: string): Pick<Refusal, 'file' | 'row'> {
  const [, file = place, row = '0'] = /^(.*):(\d+)$/s.exec(place) ?? []
  return { file, row: Number(row) }
}
