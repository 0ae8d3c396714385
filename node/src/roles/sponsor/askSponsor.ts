import type { Deployment } from '@waggle/deployments/record'
import type { z } from 'zod'
import { NodeError } from '#base/errors.ts'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { REGISTRATION_SECONDS } from '#chain/peers/registerPeer.ts'
import { signForSponsor } from '#chain/peers/sponsorRegistration.ts'
import { createChainReads } from '#chain/reads.ts'
import { createRoundClock } from '#chain/rounds/roundClock.ts'
import type { Clock } from '#core/clock.ts'
import { withDeadline } from '#core/deadline.ts'
import { gatherBytes } from '#core/gatherBytes.ts'
import type { PeerKey } from '#core/hashes.ts'
import { type Patience, TooSlowError } from '#core/patience.ts'
import { originsOf } from '#core/redactUrls.ts'
import { withoutCredentials } from '#core/withoutCredentials.ts'
import { isLoopback } from '#hub/loopback.ts'
import type { Identity } from '#store/identity.ts'
import {
  answerSchema,
  refusalSchema,
  SPONSOR_PATH,
  type SponsorStanding,
  type SponsorTerms,
  standingSchema,
  termsSchema,
} from './sponsorProtocol.ts'

/** A sponsor does not answer, or does not pay. */
export class SponsorError extends NodeError {
  override readonly code = 'SPONSOR'
  /** Status of the HTTP answer; null without an answer. */
  readonly status: number | null

  constructor(message: string, options: { hint: string; retryable?: boolean; cause?: unknown; status?: number }) {
    super(message, options)
    this.status = options.status ?? null
  }
}

/** For its terms and a peer's standing. */
const ANSWER_MS = 20_000
const MAX_ANSWER_BYTES = 16_384
/** Two transactions, one after the other. */
const PAID_MS = 300_000
const LOOK_EVERY_MS = 1_000

type SponsorQuestion = {
  url: string
  /** The invitation, if there is one. Told to the sponsor only. */
  token: string | undefined
  deployment: Deployment
  rpcUrl: string
  /** With a sponsor and endpoints that answer slowly or not at all. */
  patience: Patience
  identity: Identity
  clock: Clock
  signal: AbortSignal
}

/**
 * Requests registration and gas from a sponsor, and waits until the chain shows both. A registered or funded peer asks nobody.
 *
 * @returns whether the sponsor was asked.
 * @throws {SponsorError} with the sponsor's message.
 */
export async function askSponsor(question: SponsorQuestion): Promise<boolean> {
  const { url, token, deployment, rpcUrl, patience, identity, clock, signal } = question
  const { signer, accountKey, address: account, peerId, peerKey } = identity
  const chain = await connectChain({ deployment, rpcUrl, patience, clock })
  const contracts = contractsOf(deployment)
  const reads = createChainReads(chain, contracts)
  const isRegistered = async () => (await reads.readAccountOf(peerKey))?.toLowerCase() === account.toLowerCase()
  if ((await reads.readBalance(account)) > 0n || (await isRegistered())) return false
  if (signer === null)
    throw new SponsorError('The registry cannot check a key of this kind.', {
      hint: 'Use a peer with a secp256k1 key (npx waggle init makes one) or an RSA key.',
    })
  const { nowSec } = await createRoundClock(chain, contracts).read()
  const nonce = await reads.readRegistrationNonce(account)
  const registration = { account, nonce, deadlineSec: nowSec + REGISTRATION_SECONDS }
  const signed = await signForSponsor(contracts, signer, accountKey, registration)
  const body = JSON.stringify({ ...signed, nonce: Number(nonce), peerId, token })
  await register(question, body)
  const late = clock.nowMs() + PAID_MS
  while (!(await isRegistered()) || (await reads.readBalance(account)) === 0n) {
    if (clock.nowMs() > late)
      throw new SponsorError(`The sponsor at ${hostOf(url)} took the registration, and has not paid for it yet.`, {
        hint: 'Run the same command again in some minutes.',
        retryable: true,
      })
    await clock.sleep(LOOK_EVERY_MS, signal)
  }
  return true
}

/** A busy sponsor registers one peer after another, so its answer may take as long as the patience lasts. */
async function register({ url, token, patience, signal }: SponsorQuestion, body: string): Promise<void> {
  requireSafe(url, token)
  const post = (used: AbortSignal) =>
    exchange(
      url,
      SPONSOR_PATH,
      answerSchema,
      { signal, until: AbortSignal.any([signal, used]) },
      { method: 'POST', body },
    )
  try {
    await patience.waitFor(originsOf(url), 'registration', post)
  } catch (cause) {
    if (!(cause instanceof TooSlowError)) throw cause
    signal.throwIfAborted()
    throw new SponsorError(cause.message, {
      hint: 'Check --sponsor, try again later, or allow more seconds with WAGGLE_PATIENCE; or send coin to the account and start without it.',
      retryable: true,
      cause,
    })
  }
}

/** A sponsor's terms and a peer's standing; null for an unknown peer. @throws {SponsorError} */
export async function readSponsor(
  url: string,
  peerKey: PeerKey | null,
  signal?: AbortSignal,
): Promise<{ terms: SponsorTerms; standing: SponsorStanding | null }> {
  requireSafe(url)
  const terms = await exchange(url, SPONSOR_PATH, termsSchema, { signal })
  if (peerKey === null) return { terms, standing: null }
  const standing = await exchange(url, `${SPONSOR_PATH}/${peerKey}`, standingSchema, { signal }).catch(error => {
    if (error instanceof SponsorError && error.status === 404) return null
    throw error
  })
  return { terms, standing }
}

/** @throws {SponsorError} if an invitation, or a password in the URL, would go to another machine in clear text. */
function requireSafe(url: string, token?: string): void {
  const { protocol, hostname, host, username, password } = new URL(url)
  const hasPassword = username !== '' || password !== ''
  if ((token === undefined && !hasPassword) || protocol !== 'http:' || isLoopback(hostname)) return
  const [secret, otherwise] = hasPassword
    ? ['password in the URL', 'leave the password out']
    : ['invitation', 'unset WAGGLE_SPONSOR_TOKEN if the sponsor asks for none']
  throw new SponsorError(`The ${secret} would go to ${host} without encryption.`, {
    hint: `Give --sponsor an https URL, or ${otherwise}.`,
  })
}

async function exchange<T>(
  url: string,
  path: string,
  schema: z.ZodType<T>,
  { signal, until = withDeadline(signal, ANSWER_MS) }: { signal?: AbortSignal | undefined; until?: AbortSignal },
  init: RequestInit = {},
): Promise<T> {
  const { url: page, headers } = withoutCredentials(new URL(path, url))
  let found: { status: number; body: unknown }
  try {
    // A redirect could lead the invitation elsewhere.
    const sent = { ...headers, 'content-type': 'application/json' }
    const response = await fetch(page, { ...init, headers: sent, redirect: 'error', signal: until })
    found = { status: response.status, body: JSON.parse(await readText(response)) }
  } catch (cause) {
    signal?.throwIfAborted()
    throw new SponsorError(`The sponsor at ${hostOf(url)} gives no answer.`, {
      hint: 'Check --sponsor, and try again later; or send coin to the account and start without it.',
      retryable: true,
      cause,
    })
  }
  const parsed = schema.safeParse(found.body)
  if (found.status < 300 && parsed.success) return parsed.data
  const said = refusalSchema.safeParse(found.body).data?.error.replace(/[^\x20-\x7e]/g, '?') ?? 'an unknown answer'
  throw new SponsorError(`The sponsor at ${hostOf(url)} refuses (${found.status}): ${said}.`, {
    hint: 'Ask another sponsor, or send coin to the account and start without --sponsor.',
    retryable: found.status === 429 || found.status === 503,
    status: found.status,
  })
}

async function readText({ body }: Response): Promise<string> {
  const bytes = body && (await gatherBytes(body, MAX_ANSWER_BYTES))
  if (bytes === null) throw new Error('the answer is empty or too large')
  return bytes.toString('utf8')
}

const hostOf = (url: string) => URL.parse(url)?.host ?? 'an invalid URL'
