import { predictionMarketAbi, rewardVotesAbi } from '@waggle/deployments/abi'
import {
  type Abi,
  type AbiEvent,
  concat,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  keccak256,
  toHex,
} from 'viem'
import { expect, test } from 'vitest'
import type { TestChain } from '../testChain.ts'
import type { Scene } from './scene.ts'

/** More than twice Ponder's finality, so that what came before is final. */
const FINAL = { blocks: 70, interval: 1 }

/** Events that no contract of ours would emit. */
export function testContradictions(scene: Scene): void {
  test('events that contradict what came before are left out, with one line for each kind, and later ones are not', async () => {
    const { chain, indexer } = scene
    const { peerKey } = await chain.register()
    const unknown = keccak256('0x01')
    const clue = { gameId: 77n, round: 0, clue: 'of no game' }
    for (const gameId of [77n, 78n])
      await emit(chain, chain.market.address, predictionMarketAbi, 'ClueRevealed', { ...clue, gameId })
    const votes = {
      round: 900n,
      evaluatorKey: unknown,
      shard: 3,
      scoresMilli: [1],
      componentRoots: [unknown],
      contentId: unknown,
    }
    await emit(chain, chain.contracts.rewardVotes.address, rewardVotesAbi, 'VotesRevealed', votes)
    await indexer.reachTip(chain)
    await chain.client.mine(FINAL)
    const later = await chain.register()
    await indexer.reachTip(chain)
    const { peers } = await indexer.query<{ peers: { items: { peerKey: string }[] } }>(
      '{ peers { items { peerKey } } }',
    )
    expect(peers.items.map(one => one.peerKey)).toEqual(expect.arrayContaining([peerKey, later.peerKey]))
    expect(
      await indexer.query(
        `{
          gameClues(where: { gameId_in: ["77", "78"] }) { totalCount }
          votes(where: { round: 900 }) { totalCount }
          voteCommits(where: { round: 900 }) { totalCount }
        }`,
      ),
    ).toEqual({
      gameClues: { totalCount: 0 },
      votes: { totalCount: 0 },
      voteCommits: { totalCount: 0 },
    })
    expect(indexer.complaints.filter(line => line.startsWith('index: '))).toEqual([
      expect.stringMatching(
        /^index: PredictionMarket:ClueRevealed in block \d+ \(0x\w+\) is left out, and so will others like it: .*'game'/,
      ),
      expect.stringMatching(/^index: RewardVotes:VotesRevealed in block \d+ .* round 900 has .* votes/),
    ])
  })
}

/** An event that the contract itself would not emit: for one transaction it has other code. */
async function emit(
  chain: TestChain,
  address: Hex,
  abi: Abi,
  eventName: string,
  args: Record<string, unknown>,
): Promise<void> {
  const { client } = chain
  const { inputs } = abi.find(one => one.type === 'event' && one.name === eventName) as AbiEvent
  const topics = encodeEventTopics({ abi, eventName, args } as never) as Hex[]
  const stored = inputs.filter(({ indexed }) => !indexed)
  const data = encodeAbiParameters(
    stored,
    stored.map(({ name }) => args[name ?? '']),
  )
  const code = await client.getCode({ address })
  await client.setCode({ address, bytecode: emitter(topics.length) })
  await chain.mined(client.sendTransaction({ to: address, data: concat([...topics, data]), chain: null }))
  await client.setCode({ address, bytecode: code ?? '0x' })
}

/** Code that emits the words of its calldata: so many topics, and the rest as data. */
function emitter(topics: number): Hex {
  const head = toHex(32 * topics, { size: 1 }).slice(2)
  const size = `60${head}3603`
  const words = Array.from({ length: topics }, (_, at) => `60${toHex(32 * (topics - 1 - at), { size: 1 }).slice(2)}35`)
  return `0x${size}60${head}5f37${words.join('')}${size}5fa${topics}00`
}
