import { setTimeout as sleep } from 'node:timers/promises'
import { nectarAbi } from '@waggle/deployments/abi'
import type { Deployment } from '@waggle/deployments/record'
import { encodeFunctionData, parseEther } from 'viem'
import { contractsOf } from '../../node/src/chain/contracts.ts'
import { readGameCount } from '../../node/src/chain/games/readGame.ts'
import { openAccountSession } from '../../node/src/roles/accountSession.ts'
import { BOND } from '../../node/src/roles/judge/judge.ts'
import { openIdentity } from '../../node/src/store/identity.ts'
import { connect } from './chainFacts.ts'
import type { SwarmPeer } from './peers.ts'

/** Bonds that the Judge is given: while one waits for its game's end, the next is put up. */
const GIVEN_WEI = 2n * parseEther(BOND)

export interface Funding {
  deployment: Deployment
  rpcUrl: string
  peers: SwarmPeer[]
  signal: AbortSignal
}

/**
 * Gives the local swarm's Judge its first Nectar: nobody has any before it is earned, and a Judge earns none. The first solver that has enough
 * gives it; where the Judge has some, nothing is sent.
 *
 * @returns whether it was given any now.
 */
export async function fundJudge({ deployment, rpcUrl, peers, signal }: Funding): Promise<boolean> {
  const judge = peers.find(({ role }) => role === 'judge')
  if (judge === undefined) return false
  const rpc = connect(rpcUrl)
  const { address } = deployment.contracts.Nectar
  const balance = ({ address: account }: SwarmPeer) =>
    rpc.readContract({ address, abi: nectarAbi, functionName: 'balanceOf', args: [account] })
  if ((await readGameCount({ rpc, rpcUrl }, contractsOf(deployment))) > 0n || (await balance(judge)) > 0n) return false
  for (;;) {
    for (const solver of peers.filter(({ role }) => role === 'solver'))
      if ((await balance(solver).catch(() => 0n)) >= GIVEN_WEI) {
        await give(solver)
        return true
      }
    await sleep(500, undefined, { signal })
  }

  async function give({ folder }: SwarmPeer): Promise<void> {
    const account = await openAccountSession({ data: folder, deployment, rpcUrl, identity: await openIdentity(folder) })
    try {
      const data = encodeFunctionData({
        abi: nectarAbi,
        functionName: 'transfer',
        args: [(judge as SwarmPeer).address, GIVEN_WEI],
      })
      await account.send({ key: 'nectar:judge', to: address, data, fromRound: null, throughRound: null })
    } finally {
      await account.close()
    }
  }
}
