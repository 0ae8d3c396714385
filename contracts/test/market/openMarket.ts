import type { NetworkHelpers } from '@nomicfoundation/hardhat-network-helpers/types'
import type { HardhatViemHelpers } from '@nomicfoundation/hardhat-viem/types'
import { type Address, getContract, type Hex, maxUint256, pad, parseAbi } from 'viem'
import { predictionMarketAbi } from '../../../deployments/abi.ts'
import { type Commitment, commitGame, type Secrets } from '../../../node/src/market/commitGame.ts'
import { FEE_BPS } from './marketModel.ts'

const tokenAbi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

const seatsAbi = parseAbi(['function seat(bytes32 peerKey, address account)'])

/** Seconds of a test game's betting, reveals and disputes. */
export const TIMES = { bettingSec: 100, revealSec: 50, disputeSec: 200 } as const

export interface TestGame {
  readonly gameId: bigint
  readonly secrets: Secrets
  readonly commitment: Commitment
  readonly startsAtSec: number
}

/** A market with a free token on a test network, and what it takes to play a game there. */
export async function openMarket({
  viem,
  networkHelpers,
}: {
  viem: HardhatViemHelpers
  networkHelpers: NetworkHelpers
}) {
  const wallets = await viem.getWalletClients()
  const accounts = wallets.map(wallet => wallet.account.address)
  const [wallet] = wallets
  const [judge] = accounts
  if (wallet === undefined || judge === undefined) throw new Error('the test network has no account')
  const client = { public: await viem.getPublicClient(), wallet }
  const deploy = async (name: string, ...args: unknown[]): Promise<Hex> =>
    (await viem.deployContract(name, args as never)).address
  const tokenAddress = await deploy('TestToken')
  const seatsAddress = await deploy('TestSeats')
  const prg = await deploy('PrgMarket', seatsAddress, judge)
  const address = await deploy('PredictionMarket', tokenAddress, seatsAddress, seatsAddress, seatsAddress, prg, 1)
  const token = getContract({ abi: tokenAbi, address: tokenAddress, client })
  const seats = getContract({ abi: seatsAbi, address: seatsAddress, client })
  const market = getContract({ abi: predictionMarketAbi, address, client })
  const chainId = await client.public.getChainId()

  const used = async (sent: Promise<Hex>) =>
    Number((await client.public.waitForTransactionReceipt({ hash: await sent })).gasUsed)

  const fund = async (account: Address, amount: bigint) => {
    await token.write.mint([account, amount])
    await token.write.approve([address, maxUint256], { account })
  }

  const open = async (secrets: Secrets, terms: { choices: number; freeShares: bigint; minBet: bigint }) => {
    const commitment = commitGame({ chainId, market: address, judge }, secrets)
    const startsAtSec = (await networkHelpers.time.latest()) + 10
    const gameId = await market.read.gameCount()
    const { choices: choiceCount, ...rest } = terms
    const config = {
      root: commitment.root,
      roundCount: secrets.clues.length,
      choiceCount,
      startsAtSec,
      ...TIMES,
      ...rest,
    }
    await market.write.createGame([{ ...config, bond: 10n * terms.minBet, feeBps: FEE_BPS }, ''])
    await networkHelpers.time.increaseTo(startsAtSec)
    return { gameId, secrets, commitment, startsAtSec } satisfies TestGame
  }

  const revealClue = async ({ gameId, secrets, commitment, startsAtSec }: TestGame, round: number) => {
    const { bettingSec, revealSec } = TIMES
    await networkHelpers.time.increaseTo(startsAtSec + round * (bettingSec + revealSec) + bettingSec)
    const leaf = commitment.leaves[round]
    const gas = await used(
      market.write.revealClue([gameId, secrets.clues[round] ?? '', leaf?.salt ?? '0x', leaf?.proof ?? []]),
    )
    if (round + 1 < secrets.clues.length) await networkHelpers.time.increase(revealSec)
    return gas
  }

  const proveAnswer = async ({ gameId, secrets, commitment }: TestGame) => {
    const leaf = commitment.leaves[secrets.clues.length]
    await market.write.proveAnswer([gameId, secrets.answer, leaf?.salt ?? '0x', leaf?.proof ?? []])
  }

  const finish = async (game: TestGame) => {
    const { gameId } = game
    await proveAnswer(game)
    await networkHelpers.time.increase(TIMES.disputeSec)
    await market.write.resolve([gameId])
  }

  return {
    market,
    token,
    seats,
    networkHelpers,
    accounts,
    judge,
    chainId,
    used,
    fund,
    open,
    revealClue,
    proveAnswer,
    finish,
  }
}

/** The holder that an account's own bets belong to. */
export function holderOf(account: Address): Hex {
  return pad(account, { size: 32 }).toLowerCase() as Hex
}
