import { NodeError } from '#base/errors.ts'

/** A dataset is readable, but does not fit the request. */
export class DatasetTasksError extends NodeError {
  override readonly code = 'DATASET_TASKS'
  override readonly isFinal = true
}
