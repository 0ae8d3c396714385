import { parentPort, workerData } from 'node:worker_threads'
import { answerCall, type Call } from '#base/threads/workerCalls.ts'
import { ModelFileError } from '../modelErrors.ts'
import { PretrainedTokenizer } from './pretrainedTokenizer.ts'
import type { TokenizerOperations, TokenizerSource } from './tokenizerProtocol.ts'

// The thread that owns a tokenizer, started by `openTokenizer`. A folder that holds none is the answer to every request.

const { folder, hash } = workerData as TokenizerSource

async function open(): Promise<TokenizerOperations> {
  const tokenizer = await PretrainedTokenizer.read(folder)
  if (hash !== undefined && hash !== tokenizer.hash)
    throw new ModelFileError(folder, 'tokenizer', 'was changed while it was in use', { hint: 'Start again.' })
  const { hash: found, endTokens, vocabSize } = tokenizer
  return {
    facts: () => ({ hash: found, endTokens, vocabSize }),
    encode: text => tokenizer.encode(text),
    decode: (ids, special) => tokenizer.decode(ids, special),
    chatPrompt: messages => tokenizer.chatPrompt(messages),
  }
}

const opened = open()
opened.catch(() => {}) // each call gets the error

parentPort?.on('message', async (call: Call) => {
  parentPort?.postMessage(await answerCall(call, opened, 'TOKENIZER_WORKER'))
})
