import { predictionMarketAbi } from '@waggle/deployments/abi'
import { commitGame } from '@waggle/node/market/commitGame'
import { erc20Abi, type Hex, pad } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import type { TestChain } from './testChain.ts'

const TOKEN = 10n ** 18n
const TIMES = { bettingSec: 100, revealSec: 50, disputeSec: 200 }

/** A game of one round: the second and the fourth account are right, of whom the second claims; the third is not, and disputes in vain; the first judges. */
export async function playGame({ client, market }: TestChain, details: string) {
  const [judge, right, wrong, patient] = [0, 21, 22, 23].map(addressIndex =>
    mnemonicToAccount('test test test test test test test test test test test junk', { addressIndex }),
  ) as [Account, Account, Account, Account]
  const contract = { address: market.address, abi: predictionMarketAbi } as const
  const mined = async (hash: Hex) => {
    const { status } = await client.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new Error(`reverted: ${hash}`)
  }
  for (const account of [judge, right, wrong, patient]) {
    await client.setBalance({ address: account.address, value: TOKEN })
    await market.mint(account.address, 100n * TOKEN)
    const args = [market.address, 100n * TOKEN] as const
    await mined(
      await client.writeContract({ address: market.token, abi: erc20Abi, functionName: 'approve', args, account }),
    )
  }
  const secrets = { clues: ['a clue'], answer: 1, seed: `0x${'5e'.repeat(32)}` as const }
  const chainId = await client.getChainId()
  const { root, leaves } = commitGame({ chainId, market: market.address, judge: judge.address }, secrets)
  const startsAtSec = Number((await client.getBlock()).timestamp) + 50
  const amounts = { minBet: TOKEN / 100n, freeShares: TOKEN, bond: 10n * TOKEN, feeBps: 500 }
  const config = { root, roundCount: 1, choiceCount: 3, startsAtSec, ...TIMES, ...amounts }
  const write = { ...contract, chain: null }
  const at = async (seconds: number) => {
    await client.setNextBlockTimestamp({ timestamp: BigInt(startsAtSec + seconds) })
    await client.mine({ blocks: 1 })
  }

  await mined(
    await client.writeContract({ ...write, functionName: 'createGame', args: [config, details], account: judge }),
  )
  await at(0)
  for (const [account, choice, stake] of [
    [right, 1, 4n],
    [wrong, 2, 6n],
    [patient, 1, 1n],
  ] as const) {
    await mined(
      await client.writeContract({ ...write, functionName: 'bet', args: [0n, 0, choice, stake * TOKEN], account }),
    )
  }
  await at(100)
  const [clue, answer] = leaves
  if (clue === undefined || answer === undefined) throw new Error('a game of one round has two leaves')
  const proveClue = [0n, 'a clue', clue.salt, clue.proof] as const
  await mined(await client.writeContract({ ...write, functionName: 'revealClue', args: proveClue, account: judge }))
  const proveAnswer = [0n, 1, answer.salt, answer.proof] as const
  await mined(await client.writeContract({ ...write, functionName: 'proveAnswer', args: proveAnswer, account: judge }))
  await at(200)
  await mined(await client.writeContract({ ...write, functionName: 'dispute', args: [0n], account: wrong }))
  const disputedAtSec = Number((await client.getBlock()).timestamp)
  // No committee is drawn: the answer stands.
  await at(700)
  await mined(await client.writeContract({ ...write, functionName: 'claim', args: [0n], account: right }))
  const withdraw = async () => mined(await client.writeContract({ ...write, functionName: 'withdraw', account: judge }))
  const claimableOf = (account: Hex) =>
    client.readContract({ ...contract, functionName: 'claimableOf', args: [0n, pad(account)] })
  const accounts = { judge: judge.address, right: right.address, wrong: wrong.address, patient: patient.address }
  return { ...accounts, startsAtSec, disputedAtSec, withdraw, claimableOf }
}

type Account = ReturnType<typeof mnemonicToAccount>
