import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listBootnodes } from '../../../node/src/cli/account/listBootnodes.ts'
import { loadEnvironments } from '../../../node/src/environments/builtIn.ts'
import { startCli } from '../../../node/test/cliProcess.ts'
import { deployContracts, startLocalChain } from '../../../node/test/localChain.ts'
import { LOCAL_KEY } from '../../deploy/networks.ts'
import type { Bench } from '../../measure/bench.ts'
import type { BenchRow } from '../../measure/row.ts'

const ROUND_SEC = 20
const HERE = ['--listen', '/ip4/127.0.0.1/tcp/0']
const CONDITIONS = `waggle join in an empty folder; a local chain with a block a second and rounds of ${ROUND_SEC} s, a bootnode on its list and a proposer run already`

type Joined = { connectedSec: number; committedSec: number }

/** A person who joins a running swarm: seconds from the command to what a peer says of itself. */
function joined(bench: Bench): Promise<Joined> {
  return bench.once('joined', async () => {
    const root = mkdtempSync(join(tmpdir(), 'waggle-join-'))
    const chain = await startLocalChain({ blockTimeSec: 1 })
    const running: ReturnType<typeof startCli>[] = []
    try {
      const { starter } = await loadEnvironments()
      const deployment = await deployContracts(chain, ROUND_SEC, starter.hash)
      const record = join(root, 'deployment.json')
      writeFileSync(record, JSON.stringify(deployment))
      const env = { WAGGLE_RPC_URL: chain.rpcUrl, WAGGLE_DEPLOYMENT: record }
      const start = (...argv: string[]) => {
        const peer = startCli([...argv, ...HERE], env)
        running.push(peer)
        return peer
      }
      const bootnode = start('bootnode', '--data', join(root, 'bootnode'), '--log-format', 'json')
      const { addresses } = JSON.parse(await bootnode.line('bootnode started'))
      await listBootnodes({ deployment, rpcUrl: chain.rpcUrl, key: LOCAL_KEY }, [], addresses)
      const proposer = start('join', '--role', 'proposer', '--level', '1', '--data', join(root, 'proposer'))
      bench.log('waiting for the first tasks: about a minute and a half')
      await proposer.said('tasks proposed')

      const startedMs = performance.now()
      const seconds = () => (performance.now() - startedMs) / 1000
      const peer = start('join', '--role', 'solver', '--data', join(root, 'peer'))
      await Promise.all([peer.said('INFO  registered'), peer.said('INFO  connected')])
      const connectedSec = seconds()
      await peer.said('rollouts committed')
      return { connectedSec, committedSec: seconds() }
    } finally {
      await Promise.all(running.map(one => one.stop()))
      await chain.stop()
      await rm(root, { recursive: true, force: true })
    }
  })
}

export const joinRows: readonly BenchRow[] = [
  {
    ...{ name: 'join', unit: 's', bar: 60, better: 'less' },
    async measure(bench) {
      return { value: (await joined(bench)).connectedSec, conditions: `${CONDITIONS}; until registered and connected` }
    },
  },
  {
    ...{ name: 'join-commit', unit: 's', bar: 120, better: 'less' },
    async measure(bench) {
      return {
        value: (await joined(bench)).committedSec,
        conditions: `${CONDITIONS}; until its first answers are on the chain`,
      }
    },
  },
]
