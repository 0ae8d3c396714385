import { NodeError } from '#base/errors.ts'

/** A dataset is readable, but not what is asked of it. */
export class DatasetTasksError extends NodeError {
  override readonly code = 'DATASET_TASKS'
  override readonly isFinal = true
}
