import { join } from 'node:path'
import { privateKeyToProtobuf } from '@libp2p/crypto/keys'
import type { Deployment } from '@waggle/deployments/record'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { createChainReads } from '#chain/reads.ts'
import { createRoundClock } from '#chain/rounds/roundClock.ts'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { formatSizes } from '#core/payloads/payloadSizes.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { deploymentTag } from '#p2p/gossip/topics.ts'
import { startNetwork } from '#p2p/network.ts'
import type { NetworkConfig } from '#p2p/networkConfig.ts'
import { type Identity, openIdentity } from '#store/identity.ts'
import { createJournal } from '#store/journal.ts'
import { lockDataFolder } from '#store/lockDataFolder.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { createPeerTable } from '#store/peerTable.ts'
import { ownRelease } from '../release.ts'
import { reportConnections } from '../reports/reportConnections.ts'
import { followBootnodes } from './followBootnodes.ts'
import { listingAdvice } from './listingAdvice.ts'
import { readableBootnodes } from './readableBootnodes.ts'

type BootnodeOptions = {
  data: string
  network: NetworkConfig
  rpcUrl: string
  deployment: Deployment
  clock: Clock
  /** Dates the messages to other peers. */
  networkClock: Clock
  /** Creates the logger once the keys are known, so that it can redact them. */
  openLogger: (identity: Identity) => Logger
  signal: AbortSignal
}

/**
 * Runs a bootnode until the signal is aborted. It has an identity and an address book, forwards announcements, and reads the chain
 * without an account: it has no role, stores no payloads and sends no transactions.
 *
 * @throws {NodeError} if the environment is broken, with a hint.
 */
export async function runBootnode(options: BootnodeOptions): Promise<void> {
  const { data, rpcUrl, deployment, clock } = options
  const lock = lockDataFolder(data)
  const ended = new AbortController()
  const signal = AbortSignal.any([options.signal, ended.signal])
  const closers: (() => unknown)[] = [() => lock.release()]
  try {
    const identity = await openIdentity(data)
    const logger = options.openLogger(identity)
    closers.push(() => options.signal.aborted && logger.info('stopped'))
    const chain = await connectChain({ rpcUrl, deployment, follower: { clock, logger, signal } })
    const contracts = contractsOf(deployment)
    const reads = createChainReads(chain, contracts)
    const db = openDatabase(join(data, JOURNAL_FILE))
    closers.push(() => db.close())
    let round: number | null = null
    const addresses = Object.values(deployment.contracts).map(({ address }) => address)
    const listed = await reads.readBootnodes()
    const network = await startNetwork({
      swarm: { chainId: deployment.chainId, deployment: deploymentTag(addresses) },
      privateKey: privateKeyToProtobuf(identity.privateKey),
      ...options.network,
      release: ownRelease(),
      relays: true,
      bootnodes: [...options.network.bootnodes, ...readableBootnodes(listed, logger)],
      isBootnode: true,
      follows: true,
      currentRound: () => round,
      maxBytes: kind => formatSizes[kind],
      lookUp: peerIds => reads.readRegistered(peerIds.map(peerKeyOf)),
      store: createPeerTable(db),
      bundles: { open: async () => null },
      clock: options.networkClock,
      logger,
    })
    closers.push(network.stop)
    const { name, peerId } = identity
    logger.info('bootnode started', { name, peerId, addresses: network.addresses() })
    const advice = listingAdvice({ peerId, addresses: network.addresses(), listed, deployment })
    if (advice !== null)
      logger.warn('the chain does not list this bootnode, so that newcomers do not find it', { advice })
    const reporting = reportConnections({ network, journal: createJournal(db, clock), clock, logger, signal })
    const { readBootnodes } = reads
    const following = followBootnodes({
      ...{ network, readBootnodes, named: options.network.bootnodes, listed, clock, logger, signal },
    })
    closers.push(() => {
      ended.abort()
      return Promise.all([reporting, following])
    })
    const rounds = createRoundClock(chain, contracts)
    while (!signal.aborted) round = (await rounds.waitFor((round ?? -1) + 1, signal)).round
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    for (const one of closers.splice(0).reverse()) await one()
  }
}
