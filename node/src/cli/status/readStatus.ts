import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { phase } from '@waggle/deployments/protocol'
import type { Deployment } from '@waggle/deployments/record'
import { formatEther, formatUnits } from 'viem'
import { readCredit } from '#chain/challenges/appeals.ts'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { readMarketToken } from '#chain/games/marketToken.ts'
import { readMarketCredit } from '#chain/games/readGame.ts'
import { type ChainReads, createChainReads } from '#chain/reads.ts'
import { createRoundClock } from '#chain/rounds/roundClock.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Patience } from '#core/patience.ts'
import { originsOf } from '#core/redactUrls.ts'
import { readAgreement } from '#roles/reports/readAgreement.ts'
import { readConnections } from '#roles/reports/readConnections.ts'
import { readTwin } from '#roles/reports/twin.ts'
import { readWorkerRestart } from '#roles/reports/workerRestarts.ts'
import type { Identity } from '#store/identity.ts'
import { JOURNAL_FILE } from '#store/openDatabase.ts'
import { readReports } from './readReports.ts'

/** Rounds shown, newest last. */
const SHOWN = 10

type StatusQuestion = {
  data: string
  deployment: Deployment
  rpcUrl: string
  patience?: Patience
  identity: Identity
  /** The sponsor that its settings name, if any. */
  sponsor?: string | undefined
}

/** Rounds whose settlement is shown: the newest that can have one, and those before it. */
const SETTLED_SHOWN = 5

/** A peer's status, from the chain and its own journal. */
export async function readStatus({ data, deployment, rpcUrl, patience, identity, sponsor }: StatusQuestion) {
  const chain = await connectChain({ rpcUrl, deployment, patience })
  const contracts = contractsOf(deployment)
  const reads = createChainReads(chain, contracts)
  const { peerId, peerKey, name, address } = identity
  const rounds = createRoundClock(chain, contracts)
  const { round } = await rounds.read()
  const nectar = await reads.readNectar(peerKey)
  const { decimals, symbol } = await readMarketToken(chain, contracts)
  const path = join(data, JOURNAL_FILE)
  const hasRun = existsSync(path)
  return {
    network: deployment.network,
    name,
    peerId,
    peerKey,
    account: address,
    balanceEth: formatEther(await reads.readBalance(address)),
    registered: (await reads.readAccountOf(peerKey)) !== null,
    /** First round that the key counts in; null for one that is not registered. */
    countsFrom: await reads.readCountsFrom(peerKey),
    seated: (await reads.readSeats(Math.max(0, round) + 1)).includes(peerKey),
    pointsMilli: await reads.readPoints(peerKey),
    nectar: { claimed: formatEther(nectar.claimedWei), claimable: formatEther(nectar.claimableWei) },
    /** Bonds that came back and pay, which wait to be withdrawn. */
    owed: {
      challenges: formatEther(await readCredit(chain, contracts, address)),
      market: formatUnits(await readMarketCredit(chain, contracts, address), decimals),
      token: symbol,
    },
    round,
    /** Settlements of its answers in the last rounds, newest first. An outcome other than `scored` gives no score; it is not a score of 0. */
    settlements: await readOwnSettlements(reads, peerKey, round),
    /** As the peer last reported; null if it has never run. */
    connections: hasRun ? readConnections(path) : null,
    /** Agreement of the judge with execution, for a gateway that ran canaries. */
    judge: hasRun ? readAgreement(path) : null,
    /** Another process with its keys, seen within the last half hour. */
    twin: hasRun ? readTwin(path, Date.now()) : null,
    /** The last time within an hour that its process of models was replaced. */
    workerRestart: hasRun ? readWorkerRestart(path, Date.now()) : null,
    /** From the sponsor; null without one. */
    sponsor: sponsor === undefined ? null : await sponsorOf(sponsor, peerKey),
    reports: hasRun ? readReports(path).slice(-SHOWN) : [],
  }
}

/** The rest is shown even if the sponsor does not answer. */
async function sponsorOf(sponsor: string, peerKey: PeerKey) {
  const { readSponsor } = await import('#roles/sponsor/askSponsor.ts')
  const url = originsOf(sponsor)
  return readSponsor(sponsor, peerKey).then(
    ({ standing, terms }) => ({ url, standing, isLow: terms.isLow, problem: null }),
    error => ({ url, standing: null, isLow: null, problem: (error as Error).message }),
  )
}

async function readOwnSettlements(reads: Pick<ChainReads, 'readSettlements'>, peerKey: PeerKey, round: number) {
  const newest = round - phase.settling
  const rounds = Array.from({ length: SETTLED_SHOWN }, (_, back) => newest - back).filter(one => one >= 0)
  const settled = await Promise.all(
    rounds.map(async one => {
      const own = (await reads.readSettlements(one)).find(found => found.peerKey === peerKey)
      return own && { round: one, outcome: own.outcome, scoreMilli: own.scoreMilli, votes: own.votes }
    }),
  )
  return settled.filter(one => one !== undefined)
}
