import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { checkTokenizerFits } from '#model/tokenizers/checkTokenizerFits.ts'
import type { TokenizerClient } from '#model/tokenizers/tokenizerClient.ts'
import { openChatTokenizer, openOwnTokenizer, openTokenizerOf } from '../chatTokenizer.ts'
import type { Environment } from '../environment.ts'
import type { ChatFolders, EnvironmentKind, JudgeServer } from '../environmentKind.ts'
import { EnvironmentMismatchError } from '../environmentMismatch.ts'
import { type CodeZeroParts, codeZero } from './codeZero.ts'
import { describeEnvironment } from './describeEnvironment.ts'
import { type CodeZeroSpec, codeZeroSpecSchema } from './environmentSpec.ts'
import { readBackTranslation } from './judge/backTranslation.ts'
import type { CodeJudge } from './judge/createJudge.ts'
import { servedJudge } from './judge/servedJudge.ts'
import { solverSamples } from './judge/solverSamples.ts'
import { trueFalseJudge } from './judge/trueFalseJudge.ts'
import { starterJudge } from './loadStarter.ts'
import { type ChatPrompts, type CodeZeroFormat, chatFormat } from './promptFormat.ts'
import { modelWriter, type ProposalWriter, servedWriter } from './proposalWriters.ts'

export const kind: EnvironmentKind<CodeZeroSpec> = {
  schema: codeZeroSpecSchema,
  needsJudge: true,
  judgeOf: ({ judge }) => (judge.kind === 'trueFalse' ? judge.model : starterJudge),
  load: loadChatEnvironment,
  describe: describeEnvironment,
}

/** 8 bits: how proposals are sampled is not checked, and a proposer may be several times as large as a solver. */
const UNCHECKED_PRECISION = 'int8'

/** Solver answers to test a server with: half as many as the labelled pairs, as when an environment is created. */
const SAMPLES = 64

/**
 * Opens an environment of chat models and checks the operator's models against its specification. The judge's weights are checked when they
 * are loaded.
 *
 * @throws {EnvironmentMismatchError} if the specification is not one of chat models, or is of other tokenizers.
 * @throws {ModelFileError} if a file of the models is missing or damaged.
 */
export async function loadChatEnvironment(
  spec: CodeZeroSpec,
  { modelFolder, proposerFolder, proposerServer, judgeFolder, judgeServer }: ChatFolders,
): Promise<Environment> {
  const { prompts, judge } = spec
  if (prompts.format !== 'chat')
    throw new EnvironmentMismatchError(`The environment '${spec.preset}' is not one of chat models.`, {
      hint: 'Leave out --model and --environment, or name a specification that npx waggle environment create made.',
    })
  if (judgeServer !== undefined && judge.kind !== 'trueFalse')
    throw new EnvironmentMismatchError(`The judge of the environment '${spec.preset}' comes with the code.`, {
      hint: 'Leave out --judge: no server has this model.',
    })
  checkSmallJudge(spec)
  const tokenizer = await openChatTokenizer(modelFolder, prompts)
  const format = chatFormat(tokenizer, prompts)
  const writer = proposerServer
    ? servedWriter(proposerServer, prompts)
    : proposerFolder === undefined
      ? modelWriter(modelFolder, UNCHECKED_PRECISION, format)
      : await openWriter(proposerFolder, prompts)
  const shared = { spec, format, solverFolder: modelFolder, writer }
  if (judgeFolder !== null) return codeZero({ ...shared, ...(await readJudge(judge, judgeFolder, tokenizer)) })
  const openServed = async () => {
    if (judgeServer === undefined || judge.kind !== 'trueFalse') throw noJudge(spec)
    return servedJudge(judgeServer, judge, () => ownSamples(judgeServer, { folder: modelFolder, format, spec }))
  }
  return codeZero({
    ...shared,
    judgeModel: null,
    openCodeJudge: () => Promise.reject(new RangeError('no model judges')),
    openServedJudge: examinedOnce(openServed),
  })
}

/** @throws {EnvironmentMismatchError} if peers could score by different weights, or tasks have texts that the judge does not know. */
function checkSmallJudge({ preset, judge, tasks }: CodeZeroSpec): void {
  if (judge.kind === 'trueFalse' || (judge.weightsHash !== null && tasks === 'understood')) return
  throw new EnvironmentMismatchError(`The judge of the environment '${preset}' reads the curriculum's texts alone.`, {
    hint: 'Set tasks to understood and judge.weightsHash to the hash of its weights, as npx waggle environment create does, or name a chat model as judge.',
  })
}

/** A server is examined once, whether it passes or not; one that could not be is asked again. */
function examinedOnce(openServed: () => Promise<CodeJudge>): () => Promise<CodeJudge> {
  let served: Promise<CodeJudge> | undefined
  return () => {
    served ??= openServed().catch(error => {
      if (!(error instanceof EnvironmentMismatchError)) served = undefined
      throw error
    })
    return served
  }
}

/** The judge that a folder holds. @param solvers - the tokenizer of the solvers' models, which the judge's may be. */
async function readJudge(
  judge: CodeZeroSpec['judge'],
  folder: string,
  solvers: TokenizerClient,
): Promise<Pick<CodeZeroParts, 'judgeModel' | 'openCodeJudge'>> {
  const { weightsHash } = judge
  if (judge.kind === 'backTranslation') {
    const open = await readBackTranslation(folder)
    return { judgeModel: { folder, precision: 'float32', weightsHash }, openCodeJudge: async scorer => open(scorer) }
  }
  const isShared = judge.tokenizerHash === solvers.hash
  const config = await readDecoderConfig(folder)
  if (isShared) checkTokenizerFits(solvers, config, folder)
  const tokenizer = isShared ? solvers : await openTokenizerOf(folder, judge.tokenizerHash)
  return {
    judgeModel: { folder, precision: judge.precision, weightsHash },
    openCodeJudge: scorer => trueFalseJudge(scorer, tokenizer, judge, config.maxPositions),
  }
}

/** Answers of the model that solvers start from. Nobody checks how they were sampled. */
const ownSamples = (
  { runCode, threads }: JudgeServer,
  { folder, format, spec }: { folder: string; format: CodeZeroFormat; spec: CodeZeroSpec },
) =>
  solverSamples({
    ...{ folder, format, threads, runCode, precision: UNCHECKED_PRECISION, count: SAMPLES },
    ...{ solving: spec.solving, repairing: spec.repairing },
  })

const noJudge = ({ preset }: CodeZeroSpec) =>
  new EnvironmentMismatchError(`No evaluator of the environment '${preset}' was named.`, {
    hint: 'Name its frozen evaluator with --judge.',
  })

/**
 * A proposer's model with its own tokenizer and template. A prompt is rendered once, so that a model without a template is refused here.
 */
async function openWriter(folder: string, prompts: ChatPrompts): Promise<ProposalWriter> {
  const { tokenizer, vocabSize } = await openOwnTokenizer(folder)
  const format = chatFormat(tokenizer, { ...prompts, vocabSize })
  await format.proposalPrompt(1, 'write')
  return modelWriter(folder, UNCHECKED_PRECISION, format)
}
