import { predictionMarketAbi } from '@waggle/deployments/abi'
import { commitGame } from '@waggle/node/market/commitGame'
import { erc20Abi, type Hex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import type { TestChain } from '../../indexer/test/testChain.ts'

const TOKEN = 10n ** 18n
const judge = mnemonicToAccount('test test test test test test test test test test test junk', { addressIndex: 20 })

/** Opens game 0 on a chain: one round of bets on three choices, of which the second is right. @returns proves the answer, and then passes the time in which it can be disputed. */
export async function openGame({ client, market }: TestChain) {
  const contract = { address: market.address, abi: predictionMarketAbi, account: judge, chain: null } as const
  const mined = async (hash: Hex) => {
    const { status } = await client.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new Error(`reverted: ${hash}`)
  }
  await client.setBalance({ address: judge.address, value: TOKEN })
  await market.mint(judge.address, 10n * TOKEN)
  const token = { address: market.token, abi: erc20Abi, account: judge, chain: null } as const
  await mined(await client.writeContract({ ...token, functionName: 'approve', args: [market.address, 10n * TOKEN] }))
  const secrets = { clues: ['a clue'], answer: 1, seed: `0x${'5e'.repeat(32)}` as const }
  const place = { chainId: await client.getChainId(), market: market.address, judge: judge.address }
  const { root, leaves } = commitGame(place, secrets)
  const [clue, answer] = leaves
  if (clue === undefined || answer === undefined) throw new Error('a game of one round has two leaves')
  const startsAtSec = Number((await client.getBlock()).timestamp) + 20
  const times = { startsAtSec, bettingSec: 600, revealSec: 300, disputeSec: 600 }
  const amounts = { minBet: TOKEN / 100n, freeShares: TOKEN, bond: 10n * TOKEN, feeBps: 200 }
  const config = { root, roundCount: 1, choiceCount: 3, ...times, ...amounts }
  await mined(await client.writeContract({ ...contract, functionName: 'createGame', args: [config, ''] }))
  const at = async (seconds: number) => {
    await client.setNextBlockTimestamp({ timestamp: BigInt(startsAtSec + seconds) })
    await client.mine({ blocks: 1 })
  }
  await at(0)
  const prove = async () => {
    await at(600)
    const proveClue = [0n, 'a clue', clue.salt, clue.proof] as const
    await mined(await client.writeContract({ ...contract, functionName: 'revealClue', args: proveClue }))
    const proveAnswer = [0n, 1, answer.salt, answer.proof] as const
    await mined(await client.writeContract({ ...contract, functionName: 'proveAnswer', args: proveAnswer }))
  }
  return { times, prove, passDispute: () => at(1_500) }
}
