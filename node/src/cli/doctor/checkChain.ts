import { connect } from 'node:net'
import type { Deployment } from '@waggle/deployments/record'
import { formatEther } from 'viem'
import { NodeError } from '#base/errors.ts'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { createChainReads } from '#chain/reads.ts'
import { createRoundClock } from '#chain/rounds/roundClock.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Patience } from '#core/patience.ts'
import { originsOf } from '#core/redactUrls.ts'
import type { RoleName } from '#roles/roleName.ts'
import { readSponsor, SponsorError } from '#roles/sponsor/askSponsor.ts'
import type { Identity } from '#store/identity.ts'
import { readableAmount } from '../readableAmount.ts'
import { checkEndpoints } from './checkEndpoints.ts'
import { type Finding, failure, ok, warning } from './finding.ts'
import { tcpTargetOf } from './tcpTarget.ts'

/** A peer acts in a round by its own clock; each step of a round takes about a minute or more. */
const MAX_SKEW_SEC = 10
/** Tolerates chains with blocks every 12 s and slower. */
const MAX_BLOCK_AGE_SEC = 120
const DIAL_MS = 5_000
/** About a day of transactions on a test network; a peer without funds loses rounds. */
const LOW_ETH = 0.01

type ChainQuestion = {
  deployment: Deployment
  rpcUrl: string
  patience?: Patience
  bootnodes: readonly string[]
  /** URL of the sponsor that pays for an account without funds. */
  sponsor?: string | undefined
  /** Of the folder's peer, if it is chosen. */
  role?: RoleName | undefined
  nowSec: number
}

/** @param identity - null if the folder holds no peer. */
export async function checkChain(asked: ChainQuestion, identity: Identity | null): Promise<Finding[]> {
  const { deployment, rpcUrl, patience, bootnodes, sponsor, role, nowSec } = asked
  try {
    const chain = await connectChain({ rpcUrl, deployment, patience })
    const contracts = contractsOf(deployment)
    const reads = createChainReads(chain, contracts)
    const { timeSec, number } = await chain.heads.read()
    const { round } = await createRoundClock(chain, contracts).read()
    const readHead = async (url: string) => {
      const alone = await connectChain({ rpcUrl: url, deployment, patience })
      return (await alone.heads.read()).timeSec
    }
    const { working, warnings } = await checkEndpoints(rpcUrl, readHead, nowSec)
    return [
      ok(
        'chain',
        `${working}, chain ${deployment.chainId}, block ${number}, ${round < 0 ? 'no round yet' : `round ${round}`}`,
      ),
      ...warnings,
      checkClock(nowSec, timeSec),
      // A gateway sends nothing.
      ...(identity && role !== 'gateway' ? await checkAccount(reads, identity, sponsor !== undefined) : []),
      await checkBootnodes([...bootnodes, ...(await reads.readBootnodes())]),
    ]
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    return [failure('chain', error.message, error.hint)]
  }
}

/** @param blockSec - timestamp of the newest block, Unix seconds. */
export function checkClock(nowSec: number, blockSec: number): Finding {
  const age = Math.round(nowSec - blockSec)
  if (age < -MAX_SKEW_SEC)
    return failure(
      'clock',
      `${-age} s behind the newest block`,
      'Set the clock of this machine (timedatectl set-ntp true).',
    )
  if (age > MAX_BLOCK_AGE_SEC)
    return warning(
      'clock',
      `the newest block is ${age} s old`,
      'The endpoint is behind, the chain stands still, or this clock is ahead: compare with a block explorer.',
    )
  return ok('clock', `the newest block is ${Math.max(0, age)} s old`)
}

async function checkAccount(
  reads: ReturnType<typeof createChainReads>,
  { peerKey, address, name }: Identity,
  hasSponsor: boolean,
): Promise<Finding[]> {
  const balance = formatEther(await reads.readBalance(address))
  const eth = Number(balance)
  const has = `${address} has ${readableAmount(balance)} of the native coin`
  const fund = `Send some of the chain's coin to ${address}.`
  const isRegistered = (await reads.readAccountOf(peerKey)) !== null
  return [
    eth === 0 && hasSponsor && !isRegistered
      ? ok('funds', `${address} has none; its sponsor is asked by the first start`)
      : eth === 0
        ? failure('funds', `${address} has none`, fund)
        : eth < LOW_ETH
          ? warning('funds', has, fund)
          : ok('funds', has),
    ok('registered', isRegistered ? `${name} is registered` : `${name} is not yet: its first start does it`),
  ]
}

/** Whether the bootnodes accept connections. */
export async function checkBootnodes(addresses: readonly string[]): Promise<Finding> {
  if (addresses.length === 0)
    return warning(
      'bootnodes',
      'none on the chain and none named',
      'Name a peer of the swarm with --bootnode, or peers must find this one.',
    )
  const answers = await Promise.all(addresses.map(reaches))
  const reached = answers.filter(Boolean).length
  const found = `${reached} of ${addresses.length} accept a connection`
  return reached > 0
    ? ok('bootnodes', found)
    : failure(
        'bootnodes',
        found,
        'Check the network and its firewall for outgoing TCP, or name another with --bootnode.',
      )
}

function reaches(address: string): Promise<boolean> {
  const target = tcpTargetOf(address)
  if (target === null) return Promise.resolve(false)
  return new Promise(resolve => {
    const socket = connect({ ...target, timeout: DIAL_MS })
    const end = (isReached: boolean) => {
      socket.destroy()
      resolve(isReached)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
}

/** Whether the peer's sponsor answers, knows the peer, and can pay. */
export async function checkSponsor(url: string, peerKey: PeerKey | null): Promise<Finding> {
  try {
    const { terms, standing } = await readSponsor(url, peerKey)
    // Its path and user name may be keys.
    const origin = originsOf(url)
    const known = standing === null ? 'has not registered this peer' : `paid ${standing.spent} in 24 hours`
    if (terms.isLow)
      return warning('sponsor', `${origin} ${known}, and runs low`, 'Tell its operator, or send coin to the account.')
    if (standing === null && terms.registrationsLeft === 0)
      return warning('sponsor', `${origin} has no registration left in this hour`, 'Start in an hour.')
    return ok('sponsor', `${origin} ${known}`)
  } catch (error) {
    if (!(error instanceof SponsorError)) throw error
    return failure('sponsor', error.message, error.hint)
  }
}
