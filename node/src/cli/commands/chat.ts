import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { text as readAll } from 'node:stream/consumers'
import { z } from 'zod'
import { formatError } from '#base/errors.ts'
import { ModelInputError } from '#model/modelErrors.ts'
import type { Command, Values } from '../command.ts'
import type { ChatAnswer, ChatSession } from '../models/chatSession.ts'
import { readChatModel } from '../models/readChatModel.ts'
import { hubSettings } from '../options/commonSettings.ts'
import { copyOptions } from '../options/copyOptions.ts'
import { openModel } from '../options/modelOptions.ts'
import { openDevice } from '../options/openDevice.ts'
import { textOption } from '../options/optionKinds.ts'
import { parseDevice } from '../options/parseDevice.ts'
import { parsePrecision } from '../options/parsePrecision.ts'
import { parseSampling, requestSampling } from '../options/parseSampling.ts'
import { drawOptions, machineOptions } from '../options/runOptions.ts'
import { optionsOf, usageOf } from '../options/settingOptions.ts'
import { whole } from '../options/whole.ts'
import { printable } from '../textStream.ts'
import { UsageError } from '../usageError.ts'

const options = {
  model: textOption(
    'PATH_OR_REPO',
    "a model's folder, a GGUF file (imported once), or OWNER/NAME[@REVISION] on the hub",
  ),
  prompt: textOption('TEXT', 'answer this once'),
  system: textOption('TEXT', "system message (default: the template's)"),
  adapter: textOption('DIR', 'a PEFT LoRA adapter'),
  'max-new-tokens': textOption('N', 'maximum number of tokens of an answer (default 512)'),
  ...drawOptions,
  seed: textOption('TEXT', 'seed of sampling (default 0)'),
  ...machineOptions,
  threads: textOption('N', 'threads of a matrix product (default: all of the machine)'),
  ...hubSettings,
  json: z.boolean().default(false).meta({
    description:
      'an answer as one JSON object on a line: { "text", "tokens": number[], "ended": whether the model ended it }',
  }),
}

/** Talks with a model, in text. */
export const chat: Command = {
  usage: `npx waggle chat --model PATH_OR_REPO [--prompt TEXT] [--adapter DIR] [--json]

Chats with a model by its own template. In a terminal it keeps the conversation: Ctrl-C stops an answer, and between answers the
chat. With --prompt, or with text on stdin, it answers once. Your input is plain text: it cannot contain control tokens.

${usageOf(options)}`,
  options: optionsOf(options),
  async run(values) {
    if (typeof values.model !== 'string')
      throw new UsageError('chat needs --model.', { hint: 'Name a folder, a GGUF file or OWNER/NAME.' })
    parseSampling(values) // before anything is downloaded
    const isTerminal = values.prompt === undefined && process.stdin.isTTY === true
    const prompt = isTerminal ? undefined : String(values.prompt ?? (await readAll(process.stdin)).trimEnd())
    if (prompt === '') throw new UsageError('The prompt is empty.', { hint: 'Give --prompt, or text on stdin.' })
    const { signal, ...load } = copyOptions(values)
    const { session, dispose } = await openChat(values.model, values, { ...load, signal })
    const show = (piece: string) => values.json !== true && process.stdout.write(printable(piece))
    if (prompt === undefined) await converse(session, show, values.json === true)
    else {
      finish(await session.answer(prompt, show, signal), values.json === true)
      signal?.throwIfAborted()
    }
    await dispose()
  },
}

async function openChat(model: string, values: Values, load: ReturnType<typeof copyOptions>) {
  const settings = { models: optional(values.models), hub: optional(values.hub) }
  const maxNewTokens = whole('max-new-tokens', values['max-new-tokens'], 512, 1_000_000)
  const threads = whole('threads', values.threads, availableParallelism(), 256)
  const precision = parsePrecision(values.precision ?? 'float32')
  const device = await openDevice(parseDevice(values.device ?? 'cpu'), true)
  const folder = await openModel(model, settings, load.signal)
  const startedAt = performance.now()
  console.error(`loading ${folder}`)
  const { openGenerator } = await import('../models/openGenerator.ts')
  const { ChatSession } = await import('../models/chatSession.ts')
  const { config, tokenizer, stopTokens, repetitionPenalty } = await readChatModel(folder)
  const generator = await openGenerator(folder, config, optional(values.adapter), {
    ...load,
    threads,
    precision,
    device,
  })
  console.error(`ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  const session = new ChatSession(
    { config, generator, tokenizer },
    {
      ...requestSampling(values, repetitionPenalty),
      system: optional(values.system),
      maxNewTokens,
      stopTokens,
      seed: optional(values.seed) ?? '0',
    },
  )
  return { session, dispose: () => generator.dispose() }
}

/** Until the input ends, or Ctrl-C between answers. Questions go to stderr: stdout is for answers. */
async function converse(session: ChatSession, show: (piece: string) => void, isJson: boolean): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, prompt: '> ' })
  let answering: AbortController | undefined
  const interrupt = () => (answering ? answering.abort() : lines.close())
  lines.on('SIGINT', interrupt) // a terminal that readline has gives no signal
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
  if (forgotten > 0) console.error(`The ${forgotten} oldest messages no longer fit, and are forgotten.`)
}

const optional = (value: Values[string]) => (typeof value === 'string' ? value : undefined)
