import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Deployment } from '@waggle/deployments/record'
import { formatEther } from 'viem'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { approveStakes, moveStake } from '#chain/peers/moveStake.ts'
import { type Duty, dutyNumber, readBootstrapRounds, readStake, readStakeable } from '#chain/peers/readStake.ts'
import { createChainReads } from '#chain/reads.ts'
import { createRoundClock } from '#chain/rounds/roundClock.ts'
import { systemClock } from '#core/clock.ts'
import type { Patience } from '#core/patience.ts'
import { type AccountSession, CallRefusedError } from '#roles/accountSession.ts'
import { hasLeft, rememberLeft } from '#roles/duties/leftDuty.ts'
import type { Identity } from '#store/identity.ts'
import { createJournal } from '#store/journal.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'

/** Tops up the stake for a duty. @throws {CallRefusedError} if the account has too little, or nothing is missing. */
export async function stakeFor(session: AccountSession, duty: Duty) {
  const { client, contracts, account, journal, peerKey } = session
  const { amountWei, fullWei, freeFromRound } = await readStake(client, contracts, duty, peerKey)
  const missingWei = fullWei - amountWei
  if (missingWei === 0n && freeFromRound === 0)
    throw new CallRefusedError(`This peer's stake as ${duty} is complete.`, {
      hint: 'npx waggle stake show prints the stakes.',
    })
  const { balanceWei, allowedWei } = await readStakeable(client, contracts, account)
  if (balanceWei < missingWei)
    throw new CallRefusedError(`The account ${account} has too little Nectar to stake.`, {
      hint: `It needs ${formatEther(missingWei)} and has ${formatEther(balanceWei)}: a running peer claims its earnings.`,
    })
  if (allowedWei < missingWei) await session.send(approveStakes(contracts, randomUUID()))
  const { hash } = await session.send(moveStake(contracts, 'stake', { duty, peerKey, id: randomUUID() }))
  rememberLeft(journal, duty, false)
  return { duty, staked: formatEther(missingWei), hash }
}

/**
 * Starts the release of a stake, or withdraws it once it is released. The peer no longer stakes for that duty automatically.
 *
 * @throws {CallRefusedError} if there is no stake, or it is not released yet.
 */
export async function unstake(session: AccountSession, duty: Duty) {
  const { client, contracts, journal, peerKey } = session
  const { amountWei, freeFromRound } = await readStake(client, contracts, duty, peerKey)
  if (amountWei === 0n)
    throw new CallRefusedError(`This peer has no stake as ${duty}.`, { hint: 'npx waggle stake show prints both.' })
  const { round } = await createRoundClock(client, contracts).read()
  if (round < freeFromRound)
    throw new CallRefusedError(
      `This peer gave notice of its stake as ${duty}: it is free from round ${freeFromRound}.`,
      {
        hint: `This is round ${round}. Run the command again then; npx waggle stake ${duty} takes the notice back.`,
      },
    )
  // Before the call: a running peer may check its stake before the next line executes.
  rememberLeft(journal, duty, true)
  const move = freeFromRound === 0 ? 'unstake' : 'withdraw'
  const { hash } = await session.send(moveStake(contracts, move, { duty, peerKey, id: randomUUID() }))
  if (move === 'withdraw') return { duty, withdrawn: formatEther(amountWei), hash }
  return { duty, freeFromRound: (await readStake(client, contracts, duty, peerKey)).freeFromRound, hash }
}

/** A peer's stakes, and what its seat depends on. */
export async function readStakes(question: {
  data: string
  deployment: Deployment
  rpcUrl: string
  patience?: Patience
  identity: Identity
}) {
  const { data, deployment, rpcUrl, patience, identity } = question
  const chain = await connectChain({ rpcUrl, deployment, patience })
  const contracts = contractsOf(deployment)
  const rounds = createRoundClock(chain, contracts)
  const reads = createChainReads(chain, contracts)
  const left = readLeft(data)
  const stakes = await Promise.all(
    (Object.keys(dutyNumber) as Duty[]).map(async duty => {
      const { amountWei, fullWei, freeFromRound } = await reads.readStake(duty, identity.peerKey)
      const free = freeFromRound === 0 ? null : freeFromRound
      return {
        duty,
        amount: formatEther(amountWei),
        full: formatEther(fullWei),
        freeFromRound: free,
        hasLeft: left[duty],
      }
    }),
  )
  const { balanceWei } = await reads.readStakeable(identity.address)
  return {
    peerId: identity.peerId,
    round: (await rounds.read()).round,
    bootstrapRounds: await readBootstrapRounds(chain, contracts),
    misses: await reads.readMisses(identity.peerKey),
    balance: formatEther(balanceWei),
    stakes,
  }
}

/** The duties that the folder's peer does not stake for automatically. */
function readLeft(data: string): Record<Duty, boolean> {
  const path = join(data, JOURNAL_FILE)
  if (!existsSync(path)) return { evaluator: false, proposer: false }
  const db = openDatabase(path)
  try {
    const journal = createJournal(db, systemClock)
    return { evaluator: hasLeft(journal, 'evaluator'), proposer: hasLeft(journal, 'proposer') }
  } finally {
    db.close()
  }
}
