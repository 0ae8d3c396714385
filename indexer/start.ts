/** Starts the indexer in this process: `npx node indexer/start.ts --port 42069 --host 127.0.0.1`. See README.md. */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { firstBlock, readDeployment } from '@waggle/deployments/record'
import { readEnvironment } from './environment.ts'
import { connectChain, steadyBlock } from './launch/chain.ts'
import { checkHeld } from './launch/checkHeld.ts'
import { fingerprint } from './launch/fingerprint.ts'
import { lockFolder } from './launch/folderLock.ts'
import { preparePglite } from './launch/preparePglite.ts'
import { preparePostgres } from './launch/preparePostgres.ts'
import { requirePort } from './launch/requirePort.ts'
import { runPonder } from './launch/runPonder.ts'
import { watchChain } from './launch/watchChain.ts'
import { watchedBlock } from './launch/watchedBlock.ts'

const { values: flags } = parseArgs({
  options: {
    port: { type: 'string', default: '42069' },
    host: { type: 'string', default: '127.0.0.1' },
  },
})

async function start(): Promise<void> {
  const { deploymentPath, rpcUrl, indexFolder, databaseUrl, isLocal } = readEnvironment()
  await requirePort(Number(flags.port), flags.host)
  const deployment = readDeployment(deploymentPath)
  const { chainId } = deployment
  const chain = await connectChain(rpcUrl, chainId)
  const first = await steadyBlock(chain, BigInt(firstBlock(deployment)), isLocal)
  if (first === null)
    throw new Error(
      `the chain ends before block ${firstBlock(deployment)}, at which the deployment begins: set WAGGLE_RPC_URL or WAGGLE_DEPLOYMENT, or wait if the endpoint is behind`,
    )
  const schema = fingerprint({ deployment, firstBlockHash: first.hash })

  lockFolder(indexFolder)
  const watched = watchedBlock(indexFolder, schema)
  const prepared =
    databaseUrl === undefined
      ? await preparePglite(join(indexFolder, 'pglite'), schema)
      : await preparePostgres(databaseUrl, schema, chain)
  const rebuilding = (reason: string) => console.log(`index: rebuilding it: ${reason}`)
  if (prepared.kind === 'dropped') rebuilding(prepared.reason)
  if (prepared.kind === 'kept' && prepared.held !== null) {
    const reason = await checkHeld(chain, prepared.held, { chainId, isLocal, watched: watched.read() })
    if (reason !== null) {
      rebuilding(reason)
      await prepared.drop()
      watched.forget()
    }
  }
  watchChain(chain, { chainId, isLocal, onChange: endForChange, onWatch: watched.keep })
  await runPonder({ schema, port: flags.port, host: flags.host, workingFolder: indexFolder, deploymentPath })
}

/** The next start builds the index again. Ponder's own end would first wait for the chain. */
function endForChange(blockNumber: bigint): void {
  console.error(`index: block ${blockNumber} was final, and the chain has another or none now: start again to rebuild`)
  process.exit(EX_TEMPFAIL)
}

/** Start it again. */
const EX_TEMPFAIL = 75

// Ponder is large: compiling it is a good part of a start.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/waggle-compiled'))
start().catch((error: unknown) => {
  const { message, hint } = error as Error & { hint?: string }
  console.error(hint === undefined ? message : `${message}: ${hint}`)
  process.exitCode = 1
})
