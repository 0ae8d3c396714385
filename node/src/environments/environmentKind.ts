import type { z } from 'zod'
import type { SpecifiedPrecision } from '#model/quantization/precision.ts'
import type { Environment, MeasuredJudge, TextWriter, WordChooser } from './environment.ts'
import type { EnvironmentSpec } from './environmentSpec.ts'

export type ChatFolders = {
  /** The model that solves; for other roles any with the same tokenizer. */
  readonly modelFolder: string
  /** The model that proposes, with its own tokenizer; without it the one that solves. */
  readonly proposerFolder?: string | undefined
  /** A server that proposes instead of a model here. */
  readonly proposerServer?: TextWriter | undefined
  /** The frozen judge; null for kinds that need none, for roles that score nothing, and where a server judges. */
  readonly judgeFolder: string | null
  /** A server that judges instead of the frozen model here. */
  readonly judgeServer?: JudgeServer | undefined
}

/** A server that judges, and what examines it first: answers of the solver's model, sampled here. */
export type JudgeServer = WordChooser & { readonly runCode: RunCode; readonly threads: number }

/** Runs code, and gives the `repr` of each expression's value after it; null if it raises. For measurement, never for a reward. */
export type RunCode = (
  cases: readonly { code: string; expressions: readonly string[] }[],
) => Promise<readonly (readonly (string | null)[])[]>

export type EnvironmentRequest = {
  /** Of the judge. */
  precision: SpecifiedPrecision
  modelFolder: string
  /** Null for kinds that need none. */
  judgeFolder: string | null
  /** Where others find the judge, OWNER/NAME@REVISION. */
  judgeModel: string | null
  /** Labelled pairs: half to calibrate the judge with, half to measure it on. */
  pairs: number
  /** Answers of the solver that are sampled for the same. */
  samples: number
  /** Tells which of them are right. */
  runCode: RunCode
  threads: number
}

export type DescribedEnvironment = {
  spec: EnvironmentSpec
  hash: string
  /** How well it tells right answers from wrong ones, where that was measured. */
  judge: MeasuredJudge | null
}

/** What there is to know of a kind of environment: its specifications, and what makes of one an environment. */
export interface EnvironmentKind<S extends EnvironmentSpec = EnvironmentSpec> {
  readonly schema: z.ZodType<S>
  /** Whether scores are read from a frozen model. */
  readonly needsJudge: boolean
  /** Where the frozen judge of a specification is found, OWNER/NAME@REVISION; null if each operator knows. */
  judgeOf(spec: S): string | null
  /**
   * An environment of chat models: its specification, and the models that an operator named for it, checked against it. The judge's weights
   * are checked when they are loaded.
   *
   * @throws {EnvironmentMismatchError} if the specification is not one of chat models, or is of other tokenizers.
   * @throws {ModelFileError} if a file of the models is missing or damaged.
   */
  load(spec: S, folders: ChatFolders): Promise<Environment>
  /** Makes a specification for chat models: which tokenizer, which prompts, which judge. */
  describe(request: EnvironmentRequest): Promise<DescribedEnvironment>
}
