import { NodeError } from '#core/errors.ts'

/** A judge that cannot tell right code from wrong. */
export class WeakJudgeError extends NodeError {
  readonly code = 'JUDGE_TOO_WEAK'

  constructor(folder: string, weakness: string) {
    super(`The judge in ${folder} cannot tell right code from wrong: ${weakness}. Solvers would learn noise.`, {
      hint: 'Name another with --judge: an instruct model trained on code, of 1.5 billion parameters or more (Qwen2.5-Coder-1.5B-Instruct). If it is one, try --precision float32 and more --pairs.',
    })
  }
}
