import * as dagCbor from '@ipld/dag-cbor'
import { eachContract } from '@waggle/deployments/contractNames'
import { isConsent } from '#chain/peers/sponsorRegistration.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { answerKinds } from '#environments/reasoning/readAnswer.ts'
import { readFinal, readReply, replyStyles } from '#environments/reasoning/readReply.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { ModelFileError } from '#model/modelErrors.ts'
import { decodePolicy, encodePolicy, type PublishedPolicy } from '#rl/policy/publishedPolicy.ts'
import { contractsOf } from '../../src/chain/contracts.ts'
import { canonicalCode } from '../../src/environments/codezero/canonical/canonicalCode.ts'
import { parseTaskText } from '../../src/environments/codezero/curriculum/parseTaskText.ts'
import { parseProposal } from '../../src/environments/codezero/parseProposal.ts'
import { answerText } from '../../src/environments/codezero/prompts.ts'
import { proposedTests } from '../../src/environments/codezero/proposedTests.ts'
import { shownCode } from '../../src/environments/codezero/python/shownCode.ts'
import { sameTask } from '../../src/environments/codezero/sameTask.ts'
import { type ScoreComponent, scoreAnswers, scoreComponents } from '../../src/environments/codezero/scoreAnswers.ts'
import { codeOfAnswer } from '../../src/environments/codezero/structure.ts'
import { requestSchema } from '../../src/roles/sponsor/sponsorProtocol.ts'
import type { Decoder } from './decoder.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** Contents of payloads and other data from strangers: policies, texts of answers and tasks, requests to a sponsor. */
export const contents: Record<string, Decoder> = {
  policy: {
    module: 'rl/policy/publishedPolicy.ts',
    seeds: [tinyWeights(), null].flatMap(weights => {
      const lora = { rank: 1, alpha: 2, targets: ['q_proj'], rankStabilized: false }
      const adapter = { adapter: initLora(tinyConfig, lora, 'fuzz'), base: `0x${'1'.repeat(64)}`, precision: 'int8' }
      return [policySeed(weights === null ? (adapter as PublishedPolicy) : { weights })]
    }),
    run: readPolicy,
  },
  answer: {
    module: 'environments/codezero/scoreAnswers.ts',
    seeds: [
      'def f(xs):\n    total = 0\n    for x in xs:\n        if x % 2 == 0 and x > -3:\n            total += x * 2\n    return total\n',
      'import math\ndef g(n: int = 1) -> int:\n    """n"""\n    return [math.floor(y) for y in range(n)][-1]\ndef f(xs, *rest):\n    return g(len(xs)) if xs else {"a": (1,)}\nprint(f([1]))\n',
    ].map(code => utf8(`Here it is:\n${answerText(code)}\nDone.`)),
    run: scoreText,
  },
  proposalText: {
    module: 'environments/codezero/parseProposal.ts',
    seeds: [
      'Write f(xs). Return the sum of the numbers in xs that are even.\nassert f([1, 2]) == 2\nassert f([]) == 0',
      'Repair f(xs). Return the sum.\n```python\ndef f(xs):\n    return xs[0]\n```\nassert f([-1, {"a": (2,)}]) == -1',
    ].map(utf8),
    async run(bytes) {
      const text = textOf(bytes)
      const proposal = await parseProposal(text)
      await proposedTests(text)
      parseTaskText(text)
      if (typeof proposal === 'string') return false
      sameTask(proposal.problem)
      return true
    },
  },
  reply: {
    module: 'environments/reasoning/readReply.ts',
    seeds: ['<answer>12, -3, 400</answer>', 'Thinking.\n<answer>monday</answer>', '2024-02-29', 'Ada, Bob'].map(utf8),
    run(bytes) {
      const text = textOf(bytes)
      const read = replyStyles.flatMap(style =>
        answerKinds.map(kind => {
          readFinal(style, kind, text)
          return readReply(style, kind, text)
        }),
      )
      return read.some(answer => answer !== null)
    },
  },
  sponsorRequest: {
    module: 'roles/sponsor/sponsorServer.ts',
    seeds: [
      dagCbor.encode({
        ...{ peerId: '16Uiu2HAmEANjKfBma6NddbjH2owsfcrgj15SYewBK6Nojz48pWGr', account: `0x${'ab'.repeat(20)}` },
        ...{ publicKey: `0x${'11'.repeat(64)}`, nonce: 0, deadlineSec: 1, signature: `0x${'22'.repeat(65)}` },
        ...{ consent: `0x${'33'.repeat(65)}`, rsa: { modulus: `0x${'44'.repeat(256)}`, exponent: 65_537 } },
      }),
    ],
    run: readRegistration,
  },
}

/** A policy's header as a value, so that its fields are damaged as well as its bytes. */
function policySeed(policy: PublishedPolicy): Uint8Array {
  const bytes = Buffer.concat(encodePolicy(policy))
  const end = 8 + Number(bytes.readBigUInt64LE())
  return dagCbor.encode({ header: bytes.toString('utf8', 8, end), data: Uint8Array.from(bytes.subarray(end)) })
}

/** Anything but the one encoding of a policy is refused, with the one error that the peer's check takes for its fault. */
function readPolicy(bytes: Uint8Array): boolean {
  const file = policyFile(bytes)
  let policy: PublishedPolicy
  try {
    policy = decodePolicy(file, tinyConfig)
  } catch (error) {
    if (error instanceof ModelFileError) return false
    throw error
  }
  if (Buffer.compare(Buffer.concat(encodePolicy(policy)), file) !== 0) throw new Error('two encodings of one policy')
  return true
}

function policyFile(bytes: Uint8Array): Uint8Array {
  const value = decodedValue(bytes)
  const { header, data } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  if (typeof header !== 'string' || !(data instanceof Uint8Array)) return bytes
  const text = Buffer.from(header)
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.byteLength))
  return Uint8Array.from(Buffer.concat([length, text, data]))
}

function decodedValue(bytes: Uint8Array): unknown {
  try {
    return dagCbor.decode(bytes)
  } catch {
    return undefined
  }
}

const asked = { name: 'f', parameters: ['xs'], text: 'Return a number.' }
const weights = Object.fromEntries(scoreComponents.map(name => [name, 1])) as Record<ScoreComponent, number>

/** The judges' own readings of code are made, and their models are not. */
const reader = {
  async predictCorrectness(pairs: readonly { code: string; problem: typeof asked }[]): Promise<number[]> {
    for (const { code, problem } of pairs) {
      await canonicalCode(code, problem)
      await shownCode(code, problem)
    }
    return pairs.map(() => 1)
  },
}

async function scoreText(bytes: Uint8Array): Promise<boolean> {
  const text = textOf(bytes)
  const problem = { ...asked, broken: 'def f(xs):\n    return xs\n' }
  const [found] = await scoreAnswers(reader, weights, [{ problem, text, ended: true }])
  await codeOfAnswer(text, problem)
  const values = Object.values(found?.components ?? {})
  if (values.length !== scoreComponents.length || !values.every(one => one >= 0 && one <= 1))
    throw new Error('a component is missing or out of bounds')
  return found?.components.predictedCorrectness === 1
}

const contracts = contractsOf({
  network: 'test',
  chainId: 31_337,
  contracts: eachContract(() => ({ address: `0x${'11'.repeat(20)}`, startBlock: 0 }) as const),
})

/** As a sponsor does before it asks the chain. Nobody has signed any of them. */
async function readRegistration(bytes: Uint8Array): Promise<boolean> {
  const value = decodedValue(bytes)
  const { success, data } = requestSchema.safeParse(value)
  if (!success) return false
  const { peerId, token: _, ...signed } = data
  peerKeyOf(peerId)
  if (await isConsent(contracts, { ...signed, nonce: BigInt(data.nonce) })) throw new Error('nobody has signed it')
  return true
}
