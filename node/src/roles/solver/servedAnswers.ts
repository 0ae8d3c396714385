import { createHash } from 'node:crypto'
import type { PeerKey, Seed } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import { mapConcurrently } from '#core/mapConcurrently.ts'
import type { PromptFormat } from '#environments/promptFormat.ts'
import { ChatServerError } from '#hub/chatServer/chatServerError.ts'
import type { CompletionServer, ServedCompletion } from '#hub/chatServer/completionServer.ts'
import type { CheckedGroup, CheckedRollout, RoundRules } from '../draws/checkRollouts.ts'
import { areTokens, drawTasks } from '../draws/drawTasks.ts'
import { roundSeed } from '../draws/roundSeed.ts'

type ServedModules = {
  server: Pick<CompletionServer, 'complete'>
  /** Opened if a server returns no token ids. */
  tokenizer: () => Promise<Retokenizer>
  logger: Pick<Logger, 'warn'>
}

type Owed = {
  chainId: number
  round: number
  peerKey: PeerKey
  /** Name of the policy's adapter on the server; null for the server's own model. */
  adapter: string | null
  /** Later answers are not waited for. */
  until: AbortSignal
}

export type ServedAnswers = {
  groups: CheckedGroup[]
  /** Owed groups that are not among them, by the reason. */
  refused: Record<string, number>
}

/** Requests at a time: a server batches what comes together, and queues the rest. */
const CONCURRENT = 64

const AWAY = 'the server is away'
const LATE = 'the server was too slow'
const REFUSED = 'the server refused the request'
const MALFORMED = "the server's answer is malformed"
const AGAINST_RULE = "the server's answer is not one by the rule"

/**
 * The answers that a solver owes in a round, sampled by a server: whole groups of tokens that the rule allows. Nobody can verify that it
 * sampled them, so their log-probabilities are claims, as those of other peers. If the server is unavailable, the round has no own
 * groups, and nothing fails.
 */
export async function servedAnswers(
  { server, tokenizer, logger }: ServedModules,
  { chainId, round, peerKey, adapter, until }: Owed,
  rules: RoundRules,
): Promise<ServedAnswers> {
  const { spec, format } = rules
  const { temperature, topP, maxNewTokens } = spec.solving
  const tasks = drawTasks(chainId, round, peerKey, rules)
  const seed = roundSeed('rollout', chainId, round, rules.beacon, peerKey)
  const prompts = await Promise.all(tasks.map(({ problem }) => format.solverPrompt(problem)))
  const stopTokens = [format.stopToken, ...format.moreStopTokens]
  const faults = new Map<number, string>()
  /** The first failure, for the log; and one that the next request would meet too. */
  let [first, lasting]: unknown[] = [null, null]

  async function ask(at: number, index: number): Promise<CheckedRollout | null> {
    if (faults.has(at)) return null
    const prompt = prompts[at] as Int32Array
    const sampling = { maxNewTokens, temperature, topP, stopTokens, seed: seedOf(seed, index) }
    try {
      if (lasting !== null) throw lasting
      const answer = await server.complete({ prompt, ...sampling, adapter, signal: until })
      const { logprobs, ended } = answer
      if (logprobs.length > maxNewTokens) throw new RefusedAnswer(AGAINST_RULE)
      const tokens = answer.tokens ?? (await tokensByText(answer, stopTokens, tokenizer))
      checkAnswer(tokens, answer, stopTokens, format)
      const text = await format.completionText(tokens, ended)
      return { index, promptTokens: prompt, completionTokens: tokens, logprobs, ended, text }
    } catch (error) {
      const reason = reasonOf(error, until)
      if (reason === null) throw error
      if (isLasting(error, reason)) lasting ??= error
      first ??= error
      faults.set(at, reason)
      return null
    }
  }

  const places = tasks.flatMap((_, at) => Array.from({ length: spec.groupSize }, () => at))
  const answers = await mapConcurrently(places, CONCURRENT, ask)
  const groups = tasks.flatMap((task, at) => {
    const rollouts = answers.filter((answer, index) => answer !== null && places[index] === at)
    return faults.has(at) ? [] : [{ task, rollouts: rollouts as CheckedRollout[] }]
  })
  const refused: ServedAnswers['refused'] = {}
  for (const reason of faults.values()) refused[reason] = (refused[reason] ?? 0) + 1
  if (first !== null)
    logger.warn(
      'groups of this round are missing: the server did not sample them, and is asked again in the next round',
      {
        ...{ round, missed: faults.size, groups: tasks.length, error: first },
      },
    )
  return { groups, refused }
}

/** Null if the server is not at fault. */
function reasonOf(error: unknown, until: AbortSignal): string | null {
  if (error instanceof RefusedAnswer) return error.message
  if (error instanceof ChatServerError) return reasons[error.code]
  return until.aborted && error === until.reason ? LATE : null
}

const reasons: Readonly<Record<ChatServerError['code'], string>> = {
  SERVER_URL: AWAY,
  SERVER_OFFLINE: AWAY,
  SERVER_BUSY: AWAY,
  SERVER_DENIED: REFUSED,
  SERVER_MODEL: REFUSED,
  SERVER_REFUSED: REFUSED,
  SERVER_RESPONSE: MALFORMED,
}

/** Another prompt may be one that the server takes; a key that it denies stays denied. */
function isLasting(error: unknown, reason: string): boolean {
  return reason === AWAY || reason === LATE || (error instanceof ChatServerError && error.code === 'SERVER_DENIED')
}

/** @throws {RefusedAnswer} if its tokens could not have been sampled by the rule. */
function checkAnswer(
  tokens: Int32Array,
  { ended, logprobs }: ServedCompletion,
  stopTokens: readonly number[],
  format: PromptFormat,
): void {
  const isByRule =
    tokens.length > 0 &&
    tokens.length === logprobs.length &&
    areTokens(tokens, format) &&
    ended === stopTokens.includes(tokens.at(-1) as number) &&
    !tokens.subarray(0, -1).some(token => stopTokens.includes(token))
  if (!isByRule) throw new RefusedAnswer(AGAINST_RULE)
}

/** Seed of one sample, from the seed of the round. */
function seedOf(seed: Seed, index: number): number {
  return Number.parseInt(createHash('sha256').update(`${seed} ${index}`).digest('hex').slice(0, 8), 16) >>> 1
}

/** The parts of a tokenizer that find the ids of tokens which a server names by their text. */
type Retokenizer = {
  encode(text: string): Promise<Int32Array>
  decode(ids: Int32Array, special: 'keep'): Promise<string>
}

/** An answer, and so its group, is not learned from. */
class RefusedAnswer extends Error {}

const OTHER_TOKENS = "the server's tokens are not those of its text"

/**
 * Ids of tokens that a server names by their text.
 *
 * @throws {RefusedAnswer} if the local tokenizer divides the text differently: the sampled tokens are unknown then.
 */
async function tokensByText(
  { pieces, ended }: Pick<ServedCompletion, 'pieces' | 'ended'>,
  stopTokens: readonly number[],
  open: () => Promise<Retokenizer>,
): Promise<Int32Array> {
  const tokenizer = await open()
  const textsOf = (ids: Iterable<number>) =>
    Promise.all([...ids].map(id => tokenizer.decode(Int32Array.of(id), 'keep')))
  try {
    // Text never becomes the token that ends an answer: it is found by its name.
    const stop = ended ? stopTokens[(await textsOf(stopTokens)).indexOf(pieces.at(-1) ?? '')] : undefined
    const body = stop === undefined ? pieces : pieces.slice(0, -1)
    const tokens = await tokenizer.encode(body.join(''))
    const isSame = tokens.length === body.length && (await textsOf(tokens)).every((text, at) => text === body[at])
    if (!isSame) throw new RefusedAnswer(OTHER_TOKENS)
    return Int32Array.from(stop === undefined ? tokens : [...tokens, stop])
  } catch (cause) {
    // A tokenizer may fail on a text.
    throw cause instanceof RefusedAnswer ? cause : new RefusedAnswer(OTHER_TOKENS, { cause })
  }
}
