import type { EnvironmentHash, Seed } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { Completion, GenerateOptions } from '#model/generation/completion.ts'
import type { Precision } from '#model/quantization/precision.ts'
import type { ChatMessage } from '#model/tokenizers/chatTemplate.ts'
import type { DifficultyRule } from './difficulty.ts'
import type { EnvironmentSpec, Sampling } from './environmentSpec.ts'
import type { Games } from './games.ts'
import type { Level } from './level.ts'
import type { PromptFormat } from './promptFormat.ts'

/** A task's content, opaque to roles. */
export type Problem = object

export type Answer<P = Problem> = { readonly problem: P; readonly text: string; readonly ended: boolean }

export type AnswerScore = {
  /** Each from 0 to 1, by name. */
  components: Readonly<Record<string, number>>
  /** The weighted sum of the components, from 0 to 1. */
  score: number
  /** The component for correctness. */
  correctness: number
}

/** How well a judge tells right answers from wrong ones: 0.5 is chance. Of `pairs`, `samples` were the solver's own. */
export type MeasuredJudge = { balancedAccuracy: number; ece: number; pairs: number; samples: number }

/** Scores answers by the public rule. No code is run, and claimed scores are ignored. */
export interface Judge<P = Problem> {
  /** Figures of a served judge, measured by this node; those of the specified model are in the specification. */
  readonly measured?: MeasuredJudge | undefined
  /** @returns one score an answer, in order. */
  score(answers: readonly Answer<P>[]): Promise<AnswerScore[]>
}

/** The part of a frozen model that judges use; `gaps` are distances from the likeliest token's log-probability. */
export type SequenceScorer = {
  score(
    sequences: { tokens: Int32Array; from: number }[],
  ): Promise<{ logprobs: ArrayLike<number>; gaps: ArrayLike<number> }[]>
}

/** The part of a model that a one-word judge uses: log-probabilities of candidates for the next token. */
export type TokenChooser = {
  choose(choices: { tokens: Int32Array; candidates: readonly number[] }[]): Promise<ArrayLike<number>[]>
}

/** The part of a server that a one-word judge uses: log-probabilities of words as the first token of an answer; null if it refuses the conversation. */
export type WordChooser = {
  chooseWord(conversations: readonly (readonly ChatMessage[])[], words: readonly string[]): Promise<(number[] | null)[]>
}

/** The frozen model that scores are read from. */
export type JudgeModel = {
  readonly folder: string
  readonly precision: Precision
  /** Hash of the judge's weights; null if the rule names none. */
  readonly weightsHash: Hex | null
}

/** A function task from outside the swarm, such as a dataset: the problem, and tests in the form `assert CONDITION`. */
export type AskedFunction<P = Problem> = { readonly problem: P; readonly asserts: readonly string[] }

/** Tokens as sampled by a local model, including the end token. */
export type SampledTokens = {
  readonly prompt: Int32Array
  readonly tokens: Int32Array
  /** `[tokens.length]`, under the sampling distribution. */
  readonly logprobs: Float32Array
  readonly temperature: number
}

/** A model's text. `ended` is false if the token limit cut it off. */
export type WrittenText = {
  readonly text: string
  readonly ended: boolean
  /** For a local model: the sample to learn from. */
  readonly sampled?: SampledTokens
  /** Why a server gave fewer texts than it was asked for; `text` is empty. */
  readonly failure?: string
}

/** The part of a local model that a proposer uses. */
export type Generates = { generate(request: Omit<GenerateOptions, 'signal'>): Promise<readonly Completion[]> }

/** The part of a server that a proposer uses: answers to a conversation. */
export type TextWriter = {
  write(
    messages: readonly ChatMessage[],
    request: Sampling & { readonly count: number; readonly seed: string; readonly until: AbortSignal },
  ): Promise<WrittenText[]>
}

/** How long proposed tasks may be. All prompts of a round are sampled together: one that a model cannot read would cost the round. */
export type TaskLimits = {
  /** Most tokens of a prompt: a text with a longer one is not a task. */
  readonly promptTokens: number
  /** Fewest positions of a solver's model: for the longest prompt and an answer. */
  readonly positions: number
}

/** Proposed tasks, in environments that have proposers. */
export interface Proposals<P = Problem> {
  readonly limits: TaskLimits
  /** The proposer's model, which may have its own tokenizer, and its precision while frozen; null for a server. */
  readonly model: { readonly folder: string; readonly precision: Precision } | null
  /** Sampling of proposals. */
  readonly sampling: Sampling
  readonly difficulty: DifficultyRule
  /**
   * `count` texts, which may or may not be valid proposals of the level.
   *
   * @param seed - sampling seed, as hex.
   * @param until - texts that a server returns later are dropped.
   * @param model - has `model` loaded; null if there is none.
   */
  write(
    level: number,
    count: number,
    seed: Seed,
    until: AbortSignal,
    model: Generates | null,
  ): Promise<readonly WrittenText[]>
  /** The task in a proposer's text; null if it is not a task that may be trained on. */
  read(text: string): Promise<P | null>
  /** Reason why a text is refused as a proposal of a level; null if it is accepted. */
  faultOf(text: string, level: number): Promise<string | null>
  /** A dataset's task as the text of a proposal, or the reason why it may not be trained on. */
  tell(task: { readonly function: AskedFunction<P> | null }): Promise<{ text: string } | { reason: string }>
  /** A key that texts with the same task share; the text itself if it is not a proposal. */
  keyOf(text: string): Promise<string>
  /** The tests of a proposal, for display and never for scores; empty if the text is not a proposal. */
  testsOf(text: string): Promise<readonly ProposedTest[]>
  /** The code of an answer, to run with its task's tests; null if it has none, or the text is not a proposal. */
  codeOf(answer: string, text: string): string | null | Promise<string | null>
  /** The first of the keys that asks for the same or nearly the same; null if none does. */
  nearest(key: string, among: ReadonlyMap<string, unknown>): string | null
}

/** How an answer to a held-out task is checked: by running its code with tests, or directly. */
export type HeldOutCheck = boolean | { readonly code: string; readonly tests: readonly CodeTest[] }
/** An expression of Python, and the `repr` that its value must have. */
export type CodeTest = { readonly expression: string; readonly expected: string }

/** A test that a proposal brings, as its proposer wrote it and as it is run. */
export type ProposedTest = CodeTest & {
  readonly source: string
  /** Whether its expected value is right for the task; null if the environment cannot decide. */
  readonly isRight: boolean | null
}

/** A problem and its text. */
export type DrawnTask<P = Problem> = { readonly text: string; readonly problem: P }

export type RoundTask<P = Problem> = DrawnTask<P> & { readonly level: Level }

export interface HeldOutTask<P = Problem> {
  readonly problem: P
  /** @param ended - false for an answer that the token limit cut off: wrong where the score takes it for wrong. */
  check(text: string, ended: boolean): HeldOutCheck | Promise<HeldOutCheck>
}

/** An answer of the stage before. `ended` is false for one that the token limit cut off. */
export type EarlierAnswer = { readonly text: string; readonly ended: boolean }

/** One peer's answers to one question; null if this node cannot get them. */
export type PeerAnswers = readonly EarlierAnswer[] | null

/** How tasks build on earlier answers, in environments whose rounds are stages of an episode. */
export interface Stages<P = Problem> {
  /** Stages of an episode. */
  readonly count: number
  /** Peers whose answers are drawn for a stage. */
  readonly peers: number
  /**
   * The tasks of a stage after the first, in the order of its questions.
   *
   * @param questions - the tasks of the episode's first stage.
   * @param answers - those of the stage before: for each question, one entry a drawn peer that was asked it.
   * @returns null for a task that depends on answers that this node cannot get.
   */
  laterTasks(
    questions: readonly RoundTask<P>[],
    at: { stage: number; seed: Seed },
    answers: readonly (readonly PeerAnswers[])[],
  ): (RoundTask<P> | null)[]
}

/** The public rule: the specification, its hash on the chain, and everything derived from it. */
export interface Environment<P = Problem> {
  readonly spec: EnvironmentSpec
  readonly hash: EnvironmentHash
  readonly format: PromptFormat<P>
  /** Names of the components of a score. */
  readonly components: readonly string[]
  /** Folder of the weights that a new solver starts with. */
  readonly solverFolder: string
  /** Null if no model judges. */
  readonly judgeModel: JudgeModel | null
  /** Null if no proposer writes tasks. */
  readonly proposals: Proposals<P> | null
  /** Null if rounds are independent. An environment with stages has no proposals. */
  readonly stages?: Stages<P> | null
  /** Questions of the prediction market that are made of its tasks. */
  readonly games?: Games
  /** Notes on the rules, logged at every start. */
  readonly caution?: string
  /** @param model - has the judge model loaded; null if there is none. */
  openJudge(model: (SequenceScorer & TokenChooser) | null): Promise<Judge<P>>
  /** The family of a task, if the environment mixes several; figures are grouped by it. Short, and one of few. */
  familyOf?(problem: P): string
  /** The share of right answers, 0 to 1, estimated from their mean score. */
  solvedShare(meanScore: number): number
  /**
   * Tasks of a round without a proposer, the same for everyone; none if proposers write all tasks.
   *
   * @param proposed - valid tasks of proposers in the round: an environment may replace missing ones.
   */
  roundTasks(seed: Seed, proposed: number): Promise<RoundTask<P>[]>
  /** Tasks of a level that may be trained on; the same for the same seed. */
  drawTasks(level: Level, count: number, seed: string): DrawnTask<P>[]
  /** Fixed held-out tasks, no two alike: fewer than `count` if the level has fewer. */
  heldOutTasks(level: Level, count: number): Promise<HeldOutTask<P>[]>
}
