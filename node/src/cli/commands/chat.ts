import { createInterface } from 'node:readline/promises'
import { text as readAll } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { formatError } from '#base/errors.ts'
import { ModelInputError } from '#model/modelErrors.ts'
import { defineCommand } from '../defineCommand.ts'
import type { ChatAnswer, ChatSession } from '../models/chatSession.ts'
import { readChatModel } from '../models/readChatModel.ts'
import { hubSettings } from '../options/commonSettings.ts'
import { openModel } from '../options/modelOptions.ts'
import { count, textOption } from '../options/optionKinds.ts'
import { drawOptions, loadOptions, machineOptions, threadsOption } from '../options/runOptions.ts'
import { requestSampling, samplingOf } from '../options/sampling.ts'
import { printable } from '../textStream.ts'
import { UsageError } from '../usageError.ts'

const own = {
  model: z.string().meta({
    value: 'PATH_OR_REPO',
    description: "a model's folder, a GGUF file (imported once), or OWNER/NAME[@REVISION] on the hub",
  }),
  prompt: textOption('TEXT', 'answer this once'),
  system: textOption('TEXT', "system message (default: the template's)"),
  adapter: textOption('DIR', 'a PEFT LoRA adapter'),
  'max-new-tokens': count(1, 1_000_000)
    .default(512)
    .meta({ value: 'N', description: 'maximum number of tokens of an answer' }),
  ...drawOptions,
  seed: z.string().default('0').meta({ value: 'TEXT', description: 'seed of sampling' }),
  ...machineOptions,
  threads: threadsOption,
  ...hubSettings,
  json: z.boolean().default(false).meta({
    description:
      'an answer as one JSON object on a line: { "text", "tokens": number[], "ended": whether the model ended it }',
  }),
}

type ChatValues = z.infer<z.ZodObject<typeof own>>

/** Chats with a model. */
export const chat = defineCommand({
  usage: 'npx waggle chat --model PATH_OR_REPO [--prompt TEXT] [--adapter DIR] [--json]',
  about:
    'Chats with a model by its own template. In a terminal it keeps the conversation: Ctrl-C stops an answer, and between answers the chat. With --prompt, or with text on stdin, it answers once. Your input is plain text: it cannot contain control tokens.',
  own,
  async run(values) {
    samplingOf(values) // before anything is downloaded
    const isTerminal = values.prompt === undefined && process.stdin.isTTY === true
    const prompt = isTerminal ? undefined : (values.prompt ?? (await readAll(process.stdin)).trimEnd())
    if (prompt === '') throw new UsageError('The prompt is empty.', { hint: 'Give --prompt, or text on stdin.' })
    const { session, signal, dispose } = await openChat(values)
    const show = (piece: string) => !values.json && process.stdout.write(printable(piece))
    if (prompt === undefined) await converse(session, show, values.json)
    else {
      finish(await session.answer(prompt, show, signal), values.json)
      signal?.throwIfAborted()
    }
    await dispose()
  },
})

async function openChat(values: ChatValues) {
  const load = await loadOptions(values)
  const folder = await openModel(values.model, values, load.signal)
  const startedAt = performance.now()
  console.error(`loading ${folder}`)
  const { openGenerator } = await import('../models/openGenerator.ts')
  const { ChatSession } = await import('../models/chatSession.ts')
  const { config, tokenizer, stopTokens, repetitionPenalty } = await readChatModel(folder)
  await stopIfInterrupted(load)
  const generator = await openGenerator(folder, config, values.adapter, load)
  await stopIfInterrupted(load)
  console.error(`ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  const session = new ChatSession(
    { config, generator, tokenizer },
    {
      ...requestSampling(values, repetitionPenalty),
      system: values.system,
      maxNewTokens: values['max-new-tokens'],
      stopTokens,
      seed: values.seed,
    },
  )
  return { session, signal: load.signal, dispose: () => generator.dispose() }
}

/** Loading float32 weights does not look at the signal. Ctrl-C arrives between tasks of the event loop. */
async function stopIfInterrupted({ signal }: Awaited<ReturnType<typeof loadOptions>>): Promise<void> {
  await setImmediate()
  signal?.throwIfAborted()
}

/** Until the input ends, or Ctrl-C between answers. Questions go to stderr: stdout is for answers. */
async function converse(session: ChatSession, show: (piece: string) => void, isJson: boolean): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, prompt: '> ' })
  let answering: AbortController | undefined
  const interrupt = () => (answering ? answering.abort() : lines.close())
  lines.on('SIGINT', interrupt) // readline captures Ctrl-C, so no signal arrives
  process.on('SIGINT', interrupt)
  lines.prompt()
  for await (const line of lines) {
    if (line.trim() !== '') {
      answering = new AbortController()
      try {
        finish(await session.answer(line, show, answering.signal), isJson)
      } catch (error) {
        if (!(error instanceof ModelInputError)) throw error
        console.error(formatError(error))
      }
      answering = undefined
    }
    lines.prompt()
  }
  process.off('SIGINT', interrupt)
}

function finish({ text: said, tokens, ended, forgotten }: ChatAnswer, isJson: boolean): void {
  process.stdout.write(isJson ? `${JSON.stringify({ text: said, tokens, ended })}\n` : '\n')
  if (forgotten > 0) console.error(`The ${forgotten} oldest messages no longer fit and were dropped.`)
}
