import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rolloutLeaves, rootOf } from '#core/payloads/payloads.ts'
import { callCli } from './callCli.ts'
import { type ChainScene, openChainScene, spec, word } from './chain/chainScene.ts'

const root = mkdtempSync(join(tmpdir(), 'waggle-withdraw-'))
let scene: ChainScene

beforeAll(async () => {
  scene = await openChainScene()
})

afterAll(async () => {
  scene?.stop.abort()
  await scene?.local.stop()
})

test('a bond that nobody answered comes back whole, from the command line, and is withdrawn once', async () => {
  const { local, deployment } = scene
  const record = join(root, 'deployment.json')
  const environment = join(root, 'environment.json')
  writeFileSync(record, JSON.stringify(deployment))
  writeFileSync(environment, JSON.stringify(spec))
  const data = join(root, 'challenger')
  const { account } = JSON.parse((await callCli(['init', '--data', data, '--json'])).stdout)
  await local.fund(account)
  /** Runs a command line. @returns its output. */
  const challenge = async (...argv: string[]) => {
    const flags = ['--data', data, '--deployment', record, '--rpc', local.rpcUrl, '--json']
    const { code, stdout, stderr } = await callCli(['challenge', ...argv, ...flags])
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout)
  }
  const { identity, chain } = scene.registeredPeer()
  await scene.enter(1)
  const bundle = scene.bundleOf(1, identity.peerKey, word(1), spec.owedLeaves)
  const rollouts = { round: 1, root: rootOf(bundle), count: rolloutLeaves(bundle).length, policyHash: word(4) }
  expect(await chain.commitRollouts({ ...rollouts, contentId: word(5) })).toMatchObject({ status: 'mined' })
  await scene.enter(2)
  await scene.openBeacon(chain, 1)
  expect(await challenge('withdraw')).toEqual({ account, amount: '0', amountWei: '0' })
  const demand = await challenge('demand', identity.peerId, '--round', '1', '--environment', environment)
  expect(demand).toMatchObject({ round: 1, peerKey: identity.peerKey, place: 0, block: expect.any(Number) })
  expect(await challenge('close')).toEqual({ closed: [], judged: [] })

  await scene.enter(4)
  await local.client.mine({ blocks: 16 })
  expect((await challenge('close')).closed).toMatchObject([{ round: 1, peerKey: identity.peerKey }])
  const bondWei = BigInt(demand.bondWei)
  expect(await challenge('list')).toMatchObject({ demands: [{ state: 'withheld' }], creditWei: `${bondWei}` })
  const before = await local.client.getBalance({ address: account })
  const withdrawn = await challenge('withdraw')
  expect(withdrawn).toMatchObject({ account, amount: formatEther(bondWei), amountWei: `${bondWei}` })
  const { gasUsed, effectiveGasPrice } = await local.client.getTransactionReceipt({ hash: withdrawn.hash })
  expect(await local.client.getBalance({ address: account })).toBe(before + bondWei - gasUsed * effectiveGasPrice)
  expect(await challenge('withdraw')).not.toHaveProperty('hash')
})
