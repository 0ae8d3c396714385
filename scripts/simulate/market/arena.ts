import { network } from 'hardhat'
import { type Address, getContract, type Hex, maxUint256, pad, parseAbi } from 'viem'
import { predictionMarketAbi } from '../../../deployments/abi.ts'
import { type Commitment, commitGame } from '../../../node/src/market/commitGame.ts'
import { compilePatched } from '../compilePatched.ts'
import { deployFrom } from '../deployFrom.ts'

/** Long enough for a bet of every game in its own block, a second each. */
const SPAN_SEC = 1_000_000
export const TOKEN = 10n ** 18n
const GAS = 1_200_000n

const FILES = ['contracts/test/market/MarketDoubles.sol', 'contracts/test/market/Undefended.sol']

const tokenAbi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount) returns (bool)',
])

/** The market, or a copy with a defence switched off. */
export type MarketName = 'PredictionMarket' | 'MarketWithoutCap' | 'MarketOpenToTheLast'

export interface Seeded {
  readonly answer: number
  readonly seed: Hex
}

/**
 * Many games at once on one market, all with the same schedule, so that time has to move only once for all of them.
 *
 * @param rounds - of each game.
 * @param choices - of each game.
 * @param freeShares - what a later round may add to a choice on top of a tenth, in the smallest unit.
 */
export async function openArena(name: MarketName, rounds: number, choices: number, freeShares: bigint) {
  const { viem, networkHelpers } = await network.create({ override: { allowUnlimitedContractSize: true } })
  const wallets = await viem.getWalletClients()
  const [judge, crowd, attacker] = wallets.map(({ account }) => account.address) as [Address, Address, Address]
  const client = { public: await viem.getPublicClient(), wallet: wallets[0] as (typeof wallets)[number] }
  const deployContract = deployFrom(compilePatched(FILES, []), client.wallet, client.public)
  const deploy = async (contract: string, ...args: unknown[]): Promise<Hex> =>
    (await deployContract(contract, args)).address
  const seats = await deploy('TestSeats')
  const tokenAddress = await deploy('TestToken')
  const address = await deploy(name, tokenAddress, seats, seats, seats, seats, 1)
  const token = getContract({ abi: tokenAbi, address: tokenAddress, client })
  const market = getContract({ abi: predictionMarketAbi, address, client })
  for (const account of [judge, crowd, attacker]) {
    await token.write.mint([account, 10n ** 9n * TOKEN])
    await token.write.approve([address, maxUint256], { account })
  }
  const chainId = await client.public.getChainId()
  const clues = Array.from({ length: rounds }, (_, round) => `clue ${round}`)
  const commitments: Commitment[] = []
  let startsAtSec = 0

  return {
    accounts: { crowd, attacker },
    async openGames(games: readonly Seeded[]) {
      startsAtSec = (await networkHelpers.time.latest()) + SPAN_SEC
      for (const { answer, seed } of games) {
        const commitment = commitGame({ chainId, market: address, judge }, { clues, answer, seed })
        commitments.push(commitment)
        const times = { startsAtSec, bettingSec: SPAN_SEC, revealSec: SPAN_SEC, disputeSec: SPAN_SEC }
        const amounts = { minBet: 1n, freeShares, bond: 10n, feeBps: 0 }
        const config = { root: commitment.root, roundCount: rounds, choiceCount: choices, ...times, ...amounts }
        await market.write.createGame([config, ''], { gas: GAS })
      }
    },
    enterRound: (round: number) => networkHelpers.time.increaseTo(startsAtSec + 2 * round * SPAN_SEC),
    /** Betting is over; the clue is not there yet. */
    closeRound: (round: number) => networkHelpers.time.increaseTo(startsAtSec + (2 * round + 1) * SPAN_SEC),
    /** @returns what was bet: nothing where the market refuses. */
    async bet(account: Address, game: number, round: number, choice: number, stake: bigint): Promise<bigint> {
      const sent = market.write.bet([BigInt(game), round, choice, stake], { account, gas: GAS })
      return sent.then(
        () => stake,
        () => 0n,
      )
    },
    async revealClue(game: number, round: number) {
      const { salt, proof } = leafOf(commitments[game], round)
      await market.write.revealClue([BigInt(game), clues[round] ?? '', salt, proof], { gas: GAS })
    },
    async proveAnswer(game: number, answer: number) {
      const { salt, proof } = leafOf(commitments[game], rounds)
      await market.write.proveAnswer([BigInt(game), answer, salt, proof], { gas: GAS })
    },
    endDisputes: () => networkHelpers.time.increase(2 * SPAN_SEC),
    /** Resolves a game and pays an account; @returns what it was paid. */
    async collect(game: number, account: Address): Promise<bigint> {
      await market.write.resolve([BigInt(game)], { gas: GAS })
      const due = await market.read.claimableOf([BigInt(game), pad(account, { size: 32 })])
      if (due > 0n) await market.write.claim([BigInt(game)], { account, gas: GAS })
      return due
    },
  }
}

function leafOf(commitment: Commitment | undefined, index: number): Commitment['leaves'][number] {
  const leaf = commitment?.leaves[index]
  if (leaf === undefined) throw new RangeError(`no leaf ${index}`)
  return leaf
}
