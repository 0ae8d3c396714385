import { NodeError } from '#base/errors.ts'

/** Training cannot continue: mismatched state, or numbers that are not finite. */
export class TrainerError extends NodeError {
  readonly code: string = 'TRAINER'
}
