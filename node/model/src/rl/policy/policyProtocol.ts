import type { Seed } from '#base/random.ts'
import type { Across, Call } from '#base/threads/workerCalls.ts'
import type { Device } from '#engine/devices/device.ts'
import type { Completion, GenerateOptions } from '#model/generation/completion.ts'
import type { SampledSequence, SequenceDraws } from '#model/proof/drawReader.ts'
import type { Precision } from '#model/quantization/precision.ts'
import type { SequenceScores } from '#model/scoring/score.ts'
import type { SequenceToScore, TokenChoice } from '#model/scoring/scoringTasks.ts'
import type { GroupStepOptions, GroupStepReport, RolloutGroup } from '../groupStep.ts'
import type { AdamWOptions } from '../optimizers/adamW.ts'
import type { AdapterSettings } from './adapterPolicy.ts'

/** Arguments of the worker. */
export interface PolicyWorkerOptions {
  /** Threads for one product; 1, because peers share the cores. */
  readonly threads?: number
  /** Device that generates, scores and trains; `cpu`. */
  readonly device?: Device
  readonly adamW?: AdamWOptions
  /** Limit of the gradients' joint norm; 1. */
  readonly clipNorm?: number | undefined
  /** Sampling temperature of the policy's completions; 1. */
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  /** An adapter to train instead of the weights. */
  readonly adapter?: AdapterSettings | undefined
  /** Memory for bases that stay loaded between checks of others' adapters, of 4 bytes a parameter; 0: none stays. */
  readonly residentBytes?: number | undefined
}

export interface LoadedPolicy {
  /** Content hash of the weights, as they are in float32; with an adapter, of base and factors. */
  readonly weightsHash: `0x${string}`
  /** Updates taken since training began; 0 if no optimizer state was saved with the weights. */
  readonly steps: number
}

/** A policy that a peer published. */
export interface Published {
  readonly policy: Uint8Array
  /** Folder of a base of the environment: the policy's architecture, and the weights that an adapter is for. */
  readonly base: string
}

/** Completions sampled by a published policy. */
export interface DrawsRequest extends Published {
  readonly sequences: readonly SampledSequence[]
  readonly seed: Seed
  readonly temperature: number
  readonly topP: number
  /** Content hashes of the bases over which adapters are paid; null for any. */
  readonly bases: readonly string[] | null
  /** Name of a task that loads a base at most once, and again if another task evicted it; without it as often as needed. */
  readonly turn?: string | undefined
}

/**
 * The draws, or the reason why the bytes or the sequences are refused. `malformed`: invalid for every reader. `unpaid base`: an adapter over a
 * base that is not paid. `no base`: an adapter over another base than the given one. `evicted`: its base was loaded in this turn, and gave its
 * memory to another.
 */
export type ReadDraws =
  | { readonly draws: readonly SequenceDraws[]; readonly maxPositions: number }
  | { readonly fault: 'malformed' | 'unpaid base' | 'no base' | 'evicted'; readonly reason: string }

/** The operations of the worker: name, arguments, result. */
interface PolicyOperations {
  /**
   * Loads the policy of a folder, and the optimizer's state if `save` left one for exactly these weights.
   *
   * @param base - for an adapter, the folder of its base weights; `folder` itself for a fresh adapter.
   */
  load(folder: string, base?: string): LoadedPolicy
  /** Loads the frozen judge model in a precision; the hash is of its float32 weights. */
  loadJudge(folder: string, precision?: Precision): { readonly weightsHash: `0x${string}` }
  /** Loads a model that only generates, instead of a policy. */
  loadFrozen(folder: string, precision: Precision): void
  generate(request: Omit<GenerateOptions, 'signal'>): Completion[]
  /** Scores under the judge model. */
  score(sequences: readonly SequenceToScore[]): SequenceScores[]
  /** Log-probabilities of candidates for the next token under the judge model. */
  choose(choices: readonly TokenChoice[]): Float32Array[]
  /** Log-probabilities of tokens `from` on under the current policy. */
  logprobs(sequences: readonly SequenceToScore[]): Float32Array[]
  /** One update of the policy on rollout groups, its own or a peer's. */
  policyStep(groups: readonly RolloutGroup[], options: GroupStepOptions): GroupStepReport
  /** Saves weights and optimizer state; a crash leaves either the last save or this one complete. */
  save(folder: string): LoadedPolicy
  weightsHash(): `0x${string}`
  /** The bytes of the current policy, as peers publish them; its hash is their sha-256. */
  publish(): Uint8Array
  /** Reads completions under a policy that a peer published. The loaded models do not change. */
  readDraws(request: DrawsRequest): ReadDraws
  /** Samples from a published policy: the own one in the version that was named. The loaded models do not change. */
  generatePublished(published: Published, request: Omit<GenerateOptions, 'signal'>): Completion[]
}

export type PolicyOperation = keyof PolicyOperations

/** The same operations across a boundary. */
export type PolicyHandlers = Across<PolicyOperations>

/** A handler of each operation, all made in the same way. */
export function policyHandlers(call: <K extends PolicyOperation>(operation: K) => PolicyHandlers[K]): PolicyHandlers {
  return {
    load: call('load'),
    loadJudge: call('loadJudge'),
    loadFrozen: call('loadFrozen'),
    generate: call('generate'),
    score: call('score'),
    choose: call('choose'),
    logprobs: call('logprobs'),
    policyStep: call('policyStep'),
    save: call('save'),
    weightsHash: call('weightsHash'),
    publish: call('publish'),
    readDraws: call('readDraws'),
    generatePublished: call('generatePublished'),
  }
}

/** Client to worker. */
export type PolicyMessage = Call<PolicyOperation> | { readonly close: true }

/** Worker to client, between the answers: a model has run. */
export type SignOfLife = { readonly alive: true }
