import hre, { network } from 'hardhat'
import { type Abi, encodeFunctionData, type Hex, maxUint256, parseEther } from 'viem'
import { contractNames } from '../../deployments/contractNames.ts'
import { commitGame } from '../../node/src/market/commitGame.ts'
import { constructorArguments, type Made, stakesWiring } from '../../scripts/deploy/constructorArguments.ts'
import { proveRegistration } from './proveRegistration.ts'

const ROUND_SECONDS = 100_000
const TOKEN = parseEther('1')
const HASH: Hex = `0x${'e1'.repeat(32)}`
const TIMES = { bettingSec: 10_000, revealSec: 5_000, disputeSec: ROUND_SECONDS }

/**
 * All contracts in the middle of things, and a manual clock: a peer that sits has committed, the next round's beacon is drawn, deposits are
 * made, and a game is in its second round, with a bet. The account that calls is the administrator's and the peer's.
 */
export async function openEverything() {
  const { viem, networkHelpers } = await network.create()
  const client = await viem.getPublicClient()
  const [caller, judge] = (await viem.getWalletClients()).map(({ account }) => account.address) as [Hex, Hex]
  const [wallet] = await viem.getWalletClients()
  // The peer registers before the first round, and counts from that.
  const startsAtSec = Number((await client.getBlock()).timestamp) + ROUND_SECONDS
  const terms = {
    deployer: caller,
    keeper: caller,
    timelockSeconds: 0,
    startsAtSec,
    roundSeconds: ROUND_SECONDS,
    blockSeconds: 1,
  }
  const made = {} as Made<Hex>
  const abiOf = async (name: string) => (await hre.artifacts.readArtifact(name)).abi as Abi
  const deploy = async (name: string, args: readonly unknown[]): Promise<Hex> =>
    (await viem.deployContract(name, args as never)).address
  const token = await deploy('TestToken', [])
  for (const name of contractNames) {
    const parts = name === 'PredictionMarket' ? { ...made, Nectar: token } : made
    const args = constructorArguments[name](parts, { ...terms, bootstrapRounds: 100, environmentHash: HASH })
    made[name] = await deploy(name, args)
    if (name !== 'SwarmCoordinator') continue
    const initialize = encodeFunctionData({ abi: await abiOf(name), functionName: 'initialize', args: [caller] })
    made[name] = await deploy('ERC1967Proxy', [made[name], initialize])
  }
  const addresses = { ...made, TestToken: token }
  const send = async (name: keyof typeof addresses, functionName: string, args: readonly unknown[], account = caller) =>
    wallet?.writeContract({ abi: await abiOf(name), address: addresses[name], functionName, args, account } as never)

  await send('Stakes', 'wire', stakesWiring(made))
  const proof = await proveRegistration(HASH, await client.getChainId(), made.PeerRegistry, caller, 0n)
  await send('PeerRegistry', 'register', proof)
  const read = async (functionName: string, args: readonly unknown[]) =>
    client.readContract({ abi: await abiOf('PeerRegistry'), address: made.PeerRegistry, functionName, args })
  const [peerKey] = (await read('peersOf', [caller, 0n, 1n])) as [Hex]
  const peerId = (await read('peerIdOf', [peerKey])) as string
  await send('RewardVotes', 'admitEvaluator', [peerKey])
  await networkHelpers.time.increaseTo(startsAtSec)
  await send('RolloutCommitments', 'commit', [0n, peerKey, HASH, 8, HASH, HASH, HASH])
  await networkHelpers.time.increaseTo(startsAtSec + ROUND_SECONDS)
  await send('Rounds', 'fixBeacon', [0n])
  await networkHelpers.mine(1)
  await send('Rounds', 'drawBeacon', [0n])

  for (const account of [caller, judge]) {
    await send('TestToken', 'mint', [account, 100n * TOKEN])
    await send('TestToken', 'approve', [made.PredictionMarket, maxUint256], account)
  }
  await send('TestToken', 'approve', [made.PrgMarket, maxUint256])
  await send('PrgMarket', 'bindMarket', [made.PredictionMarket])
  await send('PrgMarket', 'deposit', [peerId, caller, TOKEN])
  await send('PrgMarket', 'depositBond', [TOKEN])
  const secrets = { clues: ['a', 'b'], answer: 0, seed: HASH }
  const place = { chainId: await client.getChainId(), market: made.PredictionMarket, judge }
  const { root, leaves } = commitGame(place, secrets)
  const opensAtSec = (await networkHelpers.time.latest()) + 1_000
  const odds = { roundCount: 2, choiceCount: 2, minBet: 1n, freeShares: TOKEN, bond: TOKEN, feeBps: 200 }
  await send('PredictionMarket', 'createGame', [{ root, startsAtSec: opensAtSec, ...TIMES, ...odds }, ''], judge)
  await networkHelpers.time.increaseTo(opensAtSec)
  await send('PredictionMarket', 'bet', [0n, 0, 1, 5n * TOKEN])
  await networkHelpers.time.increaseTo(opensAtSec + TIMES.bettingSec)
  await send('PredictionMarket', 'revealClue', [0n, 'a', leaves[0]?.salt, leaves[0]?.proof])
  await networkHelpers.time.increaseTo(opensAtSec + TIMES.bettingSec + TIMES.revealSec)

  const contracts = contractNames
    .filter(name => name !== 'TimelockController')
    .map(async name => ({ name: name as string, address: made[name], abi: await abiOf(name) }))
  const manual = await deploy('Rounds', [caller, startsAtSec, 0, HASH])
  contracts.push(abiOf('Rounds').then(abi => ({ name: 'Rounds', address: manual, abi })))
  const prober = await hre.artifacts.readArtifact('Prober')
  /** Makes calls as the caller, each from this state; see `Prober`. */
  const probe = async (target: Hex, calls: readonly Hex[]) => {
    const { result } = await client.simulateContract({
      abi: prober.abi as Abi,
      address: caller,
      functionName: 'probe',
      args: [target, calls],
      stateOverride: [{ address: caller, code: prober.deployedBytecode as Hex }],
    })
    return result as readonly Hex[]
  }
  return { probe, known: { peerKey, peerId, account: caller }, contracts: await Promise.all(contracts) }
}
