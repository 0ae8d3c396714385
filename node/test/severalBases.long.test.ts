import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settlementOutcomes, UNAVAILABLE } from '@waggle/deployments/protocol'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { loadEnvironment, parseSpec } from '#environments/builtIn.ts'
import { describeTokenizer } from '#environments/chatTokenizer.ts'
import { readBaseHash } from '#environments/paidBase.ts'
import { examples, small, solverMessage } from '#environments/reasoning/kind.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { parameterCount } from '#model/decoder/decoderWeights.ts'
import { openRolloutAudit } from '#roles/audit/auditRollouts.ts'
import { writeChatModel } from './chatModelFolder.ts'
import { type LiveSwarm, startLiveSwarm } from './liveSwarm.ts'

let swarm: LiveSwarm
afterAll(() => swarm?.stop())

const root = mkdtempSync(join(tmpdir(), 'waggle-bases-'))
const at = (name: string) => join(root, name)
/** Digits and the end of a turn, in the tokenizer of the tests. */
const says = [...Array.from({ length: 10 }, (_, digit) => 15 + digit), 422]

/** Two bases of one tokenizer and of different architecture, and rules that pay both. */
async function twoBases() {
  await writeChatModel(at('small'), 'small', { says })
  await writeChatModel(at('large'), 'large', { says, layers: 3 })
  const bases = await Promise.all([at('small'), at('large')].map(readBaseHash))
  const { tokenizerHash, vocabSize } = await describeTokenizer(at('small'))
  const spec = parseSpec({
    ...small,
    ...{ bases, tasksPerRound: 2, groupSize: 8, owedLeaves: 16, sampledLeaves: 16 },
    weights: { format: 0.5, accuracy: 0.5 },
    prompts: { format: 'chat', tokenizerHash, vocabSize, solver: solverMessage, examples },
  })
  writeFileSync(at('environment.json'), JSON.stringify(spec))
  return { spec, large: bases[1] as string }
}

test('evaluators that hold two bases score solvers of both; one that holds one votes unavailable on the other, and says why, as do why and audit', {
  timeout: 600_000,
}, async () => {
  const { spec, large } = await twoBases()
  swarm = await startLiveSwarm({ chat: { spec, modelFolder: at('small'), judgeFolder: null }, pauseMs: 80 })
  const [first, second] = [await swarm.newPeer('first'), await swarm.newPeer('second')]
  const judges = [await swarm.newPeer('one'), await swarm.newPeer('two'), await swarm.newPeer('lacking')]
  const [one, , lacking] = judges as [(typeof judges)[0], (typeof judges)[0], (typeof judges)[0]]
  await swarm.enter(0)
  const evaluators = await Promise.all(
    judges.map(judge => judge.start('evaluator', { baseFolders: judge === lacking ? [] : [at('large')] })),
  )
  const cannot = { level: 'warn', bases: [large] }
  const startsWithout = 'it cannot check adapters over some paid bases: it votes unavailable'
  expect(await evaluators[2]?.said(startsWithout)).toMatchObject(cannot)
  expect(await evaluators[0]?.said('it checks adapters over several bases')).toMatchObject({ bases: spec.bases })
  for (const judge of judges) await swarm.admit(judge)
  const answering = [
    await first.start('solver', { adapter: { rank: 4 } }),
    await second.start('solver', { adapter: { rank: 2 }, modelFolder: at('large') }),
  ]
  const round = 3
  await swarm.enter(2)
  await Promise.all(answering.map(({ said }) => said('policy named', { round })))
  await swarm.enter(round, 0.2)
  await Promise.all(answering.map(({ said }) => said('rollouts committed', { round })))
  await swarm.enter(4)
  const votes = await Promise.all(evaluators.map(({ said }) => said('votes committed', { round })))
  const voted = { round, base: large, peers: [second.peerKey] }
  const unchecked = 'it cannot check work over a base that it does not hold: it votes unavailable'
  expect(await evaluators[2]?.said(unchecked, { round })).toMatchObject(voted)
  const [both, same, without] = votes.map(({ scores }) => scores as number[])
  expect(both).toEqual([expect.toSatisfy(milli => milli > 0 && milli <= 1000), expect.any(Number)])
  expect(both).not.toContain(UNAVAILABLE)
  expect(same).toEqual(both)
  expect(without?.filter(milli => milli === UNAVAILABLE)).toHaveLength(1)
  await swarm.enter(5)
  await Promise.all(evaluators.map(({ said }) => said('votes revealed', { round })))
  await swarm.enter(6)
  await Promise.race(evaluators.map(({ said }) => said('shard settled', { round })))
  const settled = await swarm.chain.client.getContractEvents({
    ...{ ...swarm.contracts.rewardVotes, eventName: 'Settled', args: { round: BigInt(round) }, fromBlock: 0n },
  })
  const outcome = settlementOutcomes.indexOf('scored')
  // Two of three seats decide on the one, and three on the other.
  expect(settled.map(({ args }) => args)).toEqual(
    expect.arrayContaining([first, second].map(({ peerKey }) => expect.objectContaining({ peerKey, outcome }))),
  )
  const { said: why } = await lacking.waggle('why', '--peer', second.peerId, '--round', String(round))
  expect(why.answers).toContainEqual(expect.stringMatching(`1 of 3 seats cannot check base ${large}`))
  const started = await Promise.all([...evaluators, ...answering].map(({ said }) => said('started')))
  const bootnodes = started.flatMap(({ addresses }) => (addresses as string[]).flatMap(one => ['--bootnode', one]))
  const models = ['--environment', at('environment.json'), '--model', at('small')]
  const asked = ['--round', String(round), ...models, ...bootnodes]
  const half = await one.waggle('audit', ...asked)
  expect(half).toMatchObject({ code: 69, said: { lackingBases: [{ base: large, peers: [expect.any(String)] }] } })
  const verdicts = (peers: { peerKey: string; verdict: string }[]) =>
    Object.fromEntries(peers.map(({ peerKey, verdict }) => [peerKey, verdict]))
  expect(verdicts(half.said.peers)).toEqual({ [first.peerKey]: 'agrees', [second.peerKey]: 'unchecked' })
  const whole = await one.waggle('audit', ...asked, '--base', at('large'))
  expect(whole).toMatchObject({ code: 0, said: { lackingBases: [], disagreements: [] } })
  expect(verdicts(whole.said.peers)).toEqual({ [first.peerKey]: 'agrees', [second.peerKey]: 'agrees' })
  const seats = { lackingSeats: { base: large, seats: 1, of: 3 } }
  expect(whole.said.peers).toContainEqual(expect.objectContaining({ peerKey: second.peerKey, ...seats }))
  // With memory for one base, whichever it is, the check of a peer waits for that of no later one.
  const parameters = parameterCount(await readDecoderConfig(at('large')))
  const folders = ['small', 'large'].map(at) as [string, string]
  for (const [modelFolder, other] of [folders, folders.toReversed() as [string, string]]) {
    const audit = await openRolloutAudit({
      ...{ deployment: swarm.deployment, rpcUrl: swarm.chain.rpcUrl, data: one.data, waitsOut: false },
      bootnodes: started.flatMap(({ addresses }) => addresses as string[]),
      environments: [await loadEnvironment(spec, { modelFolder, judgeFolder: null })],
      bases: { folders: [other], residentBytes: parameters * Float32Array.BYTES_PER_ELEMENT },
      ...{ threads: 1, device: 'cpu', clock: systemClock, logger: silentLogger, signal: new AbortController().signal },
    })
    const { peers } = await audit.audit(round, null).finally(audit.close)
    expect(peers.map(({ verdict }) => verdict)).toEqual(['agrees', 'agrees'])
  }
})
