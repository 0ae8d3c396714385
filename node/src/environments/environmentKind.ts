import type { z } from 'zod'
import type { SpecifiedPrecision } from '#model/quantization/precision.ts'
import type { Environment, MeasuredJudge, TextWriter, WordChooser } from './environment.ts'
import type { EnvironmentSpec } from './environmentSpec.ts'

export type ChatFolders = {
  /** The solver's model; for other roles any model with the same tokenizer. */
  readonly modelFolder: string
  /** The proposer's model, with its own tokenizer; by default the solver's model. */
  readonly proposerFolder?: string | undefined
  /** A server that proposes instead of a local model. */
  readonly proposerServer?: TextWriter | undefined
  /** The frozen judge; null for kinds that need none, for roles that score nothing, and if a server judges. */
  readonly judgeFolder: string | null
  /** A server that judges instead of the local frozen model. */
  readonly judgeServer?: JudgeServer | undefined
  /** Roles that check others: bases besides the solver's model over which adapters are checked. */
  readonly baseFolders?: readonly string[] | undefined
}

/** A served judge, and the solver's local samples that test it first. */
export type JudgeServer = WordChooser & { readonly runCode: RunCode; readonly threads: number }

/** Runs code and returns the `repr` of each expression's value; null if it raises. For measurement, never for a reward. */
export type RunCode = (
  cases: readonly { code: string; expressions: readonly string[] }[],
) => Promise<readonly (readonly (string | null)[])[]>

export type EnvironmentRequest = {
  /** Precision of the judge. */
  precision: SpecifiedPrecision
  modelFolder: string
  /** Null for the kind's own judge, and for kinds that need none. */
  judgeFolder: string | null
  /** The judge's public address, OWNER/NAME@REVISION. */
  judgeModel: string | null
  /** Labelled pairs: half to calibrate the judge with, half to measure it on. */
  pairs: number
  /** Answers of the solver that are sampled for the same. */
  samples: number
  /** Labels them by execution. */
  runCode: RunCode
  threads: number
}

export type DescribedEnvironment = {
  spec: EnvironmentSpec
  hash: string
  /** How well it distinguishes right answers from wrong ones, if that was measured. */
  judge: MeasuredJudge | null
}

/** A kind of environment: its schema of specifications, and how to open one. */
export interface EnvironmentKind<S extends EnvironmentSpec = EnvironmentSpec> {
  readonly schema: z.ZodType<S>
  /** Whether scores are read from a frozen model. */
  readonly needsJudge: boolean
  /** The specification's frozen judge: its repository, OWNER/NAME@REVISION, or its folder; null if operators obtain it elsewhere. */
  judgeOf(spec: S): string | null
  /**
   * Opens an environment of chat models and checks the operator's models against its specification. The judge's weights are checked when
   * they are loaded.
   *
   * @throws {EnvironmentMismatchError} if the specification is not one of chat models, or is of other tokenizers.
   * @throws {ModelFileError} if a file of the models is missing or damaged.
   */
  load(spec: S, folders: ChatFolders): Promise<Environment>
  /** Creates a specification for chat models: tokenizer, prompts and judge. */
  describe(request: EnvironmentRequest): Promise<DescribedEnvironment>
}
