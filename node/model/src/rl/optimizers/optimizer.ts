/** Trained tensors and their gradients, by name, in one fixed order. */
export type Parameters = ReadonlyMap<string, { readonly shape: readonly number[]; readonly data: Float32Array }>
export type Gradients = ReadonlyMap<string, Float32Array>

/** The state that a checkpoint needs so that training resumes bit for bit. */
export interface OptimizerState {
  readonly steps: number
  /** Moments, by `<kind>.<parameter>`. */
  readonly tensors: ReadonlyMap<string, Float32Array>
}

/** Updates parameters in place. */
export interface Optimizer {
  /** Steps taken. */
  readonly steps: number
  step(gradients: Gradients, learningRate: number): Promise<void>
  /** A copy; later steps do not change it. */
  state(): OptimizerState
  /** @throws {TrainerError} if the state is not of these parameters. */
  load(state: OptimizerState): void
  dispose(): Promise<void>
}
