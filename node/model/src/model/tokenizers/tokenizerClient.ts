import { Worker } from 'node:worker_threads'
import { siblingModule } from '#base/siblingModule.ts'
import { askThread } from '#base/threads/askThread.ts'
import { WorkerError } from '#base/threads/workerCalls.ts'
import { checkOptions, folderSchema } from '../checkOptions.ts'
import type { TokenizerFacts, TokenizerHandlers, TokenizerOperation, TokenizerSource } from './tokenizerProtocol.ts'

/** A vocabulary of 151,000 tokens takes 250 MB; one that takes more than this is refused. */
const MAX_MEGABYTES = 2048

/**
 * A published model's tokenizer in its own thread. Reading one of 150,000 tokens takes a second or two, and a hostile one may use all of its time
 * limit; the caller's event loop stays free.
 *
 * Operations reject with a {@link WorkerError}: the thread's own NodeError (same code and hint), TOKENIZER_CLOSED after `close`, or
 * TOKENIZER_ENDED if the thread dies, for example for lack of memory; the next operation starts it again.
 */
export interface TokenizerClient extends Omit<TokenizerHandlers, 'facts'>, TokenizerFacts {
  /** Stops the thread. It does not keep the process alive while it has nothing to do. */
  close(): Promise<void>
}

/**
 * Reads the tokenizer of a model's folder, as `PretrainedTokenizer` does.
 *
 * @param start - starts the thread; the real one unless a test watches.
 */
export async function openTokenizer(folder: string, start: typeof startWorker = startWorker): Promise<TokenizerClient> {
  checkOptions(folderSchema, folder, 'the folder of a tokenizer')
  const ask = (source: TokenizerSource) => askThread<TokenizerOperation>(start(source), threadEnded)
  let thread = ask({ folder, hash: undefined })
  let isClosed = false
  const call = <K extends TokenizerOperation>(operation: K) =>
    (async (...args: readonly unknown[]) => {
      if (isClosed) throw closed()
      if (thread.hasEnded()) thread = ask({ folder, hash: facts.hash })
      return thread.ask(operation, args)
    }) as TokenizerHandlers[K]
  const close = async () => {
    isClosed = true
    await thread.stop(closed())
  }
  const facts = await thread.ask('facts', []).then(
    found => found as TokenizerFacts,
    async error => {
      await close()
      throw error
    },
  )
  return { ...facts, encode: call('encode'), decode: call('decode'), chatPrompt: call('chatPrompt'), close }
}

/** Starts the thread that reads a tokenizer and answers for it. */
export function startWorker(source: TokenizerSource): Worker {
  return new Worker(siblingModule(import.meta, 'tokenizerWorker'), {
    workerData: source,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
  })
}

const closed = () =>
  new WorkerError({
    message: 'the tokenizer was closed',
    code: 'TOKENIZER_CLOSED',
    hint: 'Nothing to do: the node is stopping.',
    retryable: false,
  })

const threadEnded = (cause?: unknown) =>
  new WorkerError(
    {
      message: `the tokenizer's thread ended${cause instanceof Error ? `: ${cause.message}` : ''}`,
      code: 'TOKENIZER_ENDED',
      hint: 'Check that tokenizer.json is the one that the model was published with, and that there is free memory.',
      retryable: true,
    },
    cause,
  )
