import type { AccountAddress, PeerKey } from '#core/hashes.ts'
import { callChain } from './callChain.ts'
import {
  type AppealCase,
  readAppealBond,
  readAppeals,
  readCase,
  readClosingCredit,
  readCredit,
  readJury,
  readVerdicts,
} from './challenges/appeals.ts'
import { readJudgedAppeals } from './challenges/judgedAppeals.ts'
import { readSeatsToJudge } from './challenges/judgeSeats.ts'
import { readDemandBond, readDemands } from './challenges/leafDemands.ts'
import { readAnnulled } from './challenges/readAnnulled.ts'
import { readRulings } from './challenges/rulings.ts'
import type { FollowedChain } from './connectChain.ts'
import type { Contracts } from './contracts.ts'
import { readNectar } from './peers/nectar.ts'
import { readBootnodes } from './peers/readBootnodes.ts'
import { readAccountOf, readCountsFrom, readPeerId, readPeerIds, readRegistered } from './peers/readPeers.ts'
import { isSettled, readMisses, readPoints } from './peers/readPoints.ts'
import { type Duty, readBootstrapRounds, readMayPropose, readStake, readStakeable } from './peers/readStake.ts'
import { readBeacon } from './rounds/beacon.ts'
import { createEventReader, keepFinal } from './rounds/roundEvents.ts'
import { readOpenings } from './votes/openComponent.ts'
import { readLeastPoints, readSettlements } from './votes/readSettlements.ts'
import { readRevealedVotes } from './votes/readVotes.ts'
import { readSample } from './votes/samples.ts'
import { readPastSeats, readSeats } from './votes/seats.ts'
import { readAgreedLeaf } from './work/claimTask.ts'
import { readPolicies, readRolloutCommitments } from './work/commitments.ts'
import { readHasSecret, readProposals, readSecretKeepers } from './work/proposals.ts'
import { readEnvironment } from './work/readEnvironment.ts'

/** Every read, bound to a chain and its contracts. A peer that sends nothing needs only this. */
export function createChainReads(chain: FollowedChain, contracts: Contracts) {
  const events = createEventReader(chain, contracts)
  return {
    readProposals: (round: number) => readProposals(chain, contracts, events, round),
    readSecretKeepers: (round: number) => readSecretKeepers(chain, contracts, events, round),
    readHasSecret: (peerKey: PeerKey, round: number) => readHasSecret(chain, contracts, peerKey, round),
    readRolloutCommitments: keepFinal(round => readRolloutCommitments(chain, contracts, events, round), events.isOver),
    readPolicies: (round: number, peerKeys: readonly PeerKey[]) =>
      readPolicies(chain, contracts, events, round, peerKeys),
    readRevealedVotes: (round: number) => readRevealedVotes(chain, contracts, events, round),
    readSettlements: (round: number) => readSettlements(chain, contracts, events, round),
    readAnnulled: (round: number) => readAnnulled(chain, contracts, events, round),
    readRulings: (round: number) => readRulings(chain, contracts, events, round),
    readLeastPoints: (round: number) => readLeastPoints(chain, contracts, round),
    readDemands: (rounds: { first: number; last: number }) => readDemands(chain, contracts, events, rounds),
    readAppeals: (rounds: { first: number; last: number }) => readAppeals(chain, contracts, events, rounds),
    readCase: (round: number, peerKey: PeerKey) => readCase(chain, contracts, round, peerKey),
    readJury: (round: number, peerKey: PeerKey) => readJury(chain, contracts, round, peerKey),
    readVerdicts: (found: Pick<AppealCase, 'round' | 'peerKey' | 'level' | 'openedRound'>) =>
      readVerdicts(chain, contracts, events, found),
    readJudgedAppeals: (rounds: { first: number; last: number }) => readJudgedAppeals(chain, contracts, events, rounds),
    readSeatsToJudge: (found: { round: number; peerKey: PeerKey }) => readSeatsToJudge(chain, contracts, found),
    readAppealBond: (level: number) => readAppealBond(chain, contracts, level),
    readClosingCredit: (found: { round: number; peerKey: PeerKey; openedRound: number }, account: AccountAddress) =>
      readClosingCredit(chain, contracts, events, found, account),
    readCredit: (account: AccountAddress) => readCredit(chain, contracts, account),
    readDemandBond: () => readDemandBond(chain, contracts),
    readSeats: (round: number) => readSeats(chain, contracts, round),
    readPastSeats: (round: number) => readPastSeats(chain, contracts, events, round),
    readPoints: (peerKey: PeerKey, atBlock?: bigint) => readPoints(chain, contracts, peerKey, atBlock),
    isSettled: (round: number, peerKey: PeerKey) => isSettled(chain, contracts, round, peerKey),
    readNectar: (peerKey: PeerKey) => readNectar(chain, contracts, peerKey),
    readOpenings: (round: number, shard: number) => readOpenings(chain, contracts, round, shard),
    readSample: (round: number) => readSample(chain, contracts, round),
    readAgreedLeaf: (round: number, shard: number) => readAgreedLeaf(chain, contracts, round, shard),
    readMisses: (peerKey: PeerKey) => readMisses(chain, contracts, peerKey),
    readStake: (duty: Duty, peerKey: PeerKey) => readStake(chain, contracts, duty, peerKey),
    readStakeable: (account: AccountAddress) => readStakeable(chain, contracts, account),
    readBootstrapRounds: () => readBootstrapRounds(chain, contracts),
    readMayPropose: (peerKey: PeerKey, round: number) => readMayPropose(chain, contracts, peerKey, round),
    readAccountOf: (peerKey: PeerKey) => readAccountOf(chain, contracts, peerKey),
    readCountsFrom: (peerKey: PeerKey) => readCountsFrom(chain, contracts, peerKey),
    readRegistered: (peerKeys: readonly PeerKey[]) => readRegistered(chain, contracts, peerKeys),
    readPeerId: (peerKey: PeerKey) => readPeerId(chain, contracts, peerKey),
    readPeerIds: (peerKeys: readonly PeerKey[]) => readPeerIds(chain, contracts, peerKeys),
    readBeacon: (round: number) => readBeacon(chain, contracts, round),
    readBootnodes: () => readBootnodes(chain, contracts),
    readEnvironment: (round: number) => readEnvironment(chain, contracts, round),
    readRegistrationNonce: (account: AccountAddress) =>
      callChain(chain.rpcUrl, () =>
        chain.rpc.readContract({ ...contracts.peerRegistry, functionName: 'nonces', args: [account] }),
      ),
    /** Current price of a unit of gas, wei. */
    readGasPrice: () => callChain(chain.rpcUrl, () => chain.rpc.getGasPrice()),
    /** Whether an account is a contract, or delegates to one (EIP-7702): a transfer to it then runs code. */
    readHasCode: async (account: AccountAddress) => {
      const code = await callChain(chain.rpcUrl, () => chain.rpc.getCode({ address: account }))
      return code !== undefined && code !== '0x'
    },
    /** Balance of an account, wei. */
    readBalance: (account: AccountAddress) => callChain(chain.rpcUrl, () => chain.rpc.getBalance({ address: account })),
  }
}

export type ChainReads = ReturnType<typeof createChainReads>
