/** Starts the indexer in this process: `npx node indexer/start.ts --port 42069 --host 127.0.0.1`. See README.md. */
import { rmSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { firstBlock, readDeployment } from '@waggle/deployments/record'
import { readEnvironment } from './environment.ts'
import { connectChain } from './launch/chain.ts'
import { fingerprint } from './launch/fingerprint.ts'
import { lockFolder } from './launch/folderLock.ts'
import { preparePglite } from './launch/preparePglite.ts'
import { requirePort } from './launch/requirePort.ts'
import { runPonder } from './launch/runPonder.ts'
import { waitForFinality } from './launch/waitForFinality.ts'

const { values: flags } = parseArgs({
  options: {
    port: { type: 'string', default: '42069' },
    host: { type: 'string', default: '127.0.0.1' },
  },
})

async function start(): Promise<void> {
  const { deploymentPath, rpcUrl, indexFolder, databaseUrl } = readEnvironment()
  await requirePort(Number(flags.port), flags.host)
  const deployment = readDeployment(deploymentPath)
  const chain = await connectChain(rpcUrl, deployment.chainId)
  const { hash: firstBlockHash } = await chain.getBlock({ blockNumber: BigInt(firstBlock(deployment)) })
  const schema = fingerprint({ deployment, firstBlockHash })

  lockFolder(indexFolder)
  if (databaseUrl === undefined) {
    const pgliteFolder = join(indexFolder, 'pglite')
    const prepared = await preparePglite(pgliteFolder, schema)
    if (prepared.kind === 'dropped') console.log(`index: rebuilding it: ${prepared.reason}`)
    if (prepared.kind === 'kept' && prepared.finalizedSec !== null) {
      const reached = await waitForFinality(chain, deployment.chainId, prepared.finalizedSec)
      if (!reached) {
        console.log('index: rebuilding it: the chain went back behind blocks that were final')
        rmSync(pgliteFolder, { recursive: true, force: true })
      }
    }
  }
  await runPonder({ schema, port: flags.port, host: flags.host, workingFolder: indexFolder, deploymentPath })
}

// Ponder is large: compiling it is a good part of a start.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/waggle-compiled'))
start().catch((error: unknown) => {
  const { message, hint } = error as Error & { hint?: string }
  console.error(hint === undefined ? message : `${message}: ${hint}`)
  process.exitCode = 1
})
