import { NodeError } from '#base/errors.ts'

/** Training cannot continue: a state that does not fit, or numbers that are no longer finite. */
export class TrainerError extends NodeError {
  readonly code: string = 'TRAINER'
}
