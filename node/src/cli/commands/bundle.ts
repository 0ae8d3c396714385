import { createWriteStream } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { formatSizes } from '#core/payloads/payloadSizes.ts'
import type { CommandAction } from '../command.ts'
import { defineCommand, required } from '../defineCommand.ts'
import { openChatModels } from '../models/chatModels.ts'
import { knownAction } from '../nearest.ts'
import { hubSettings, peerOnChain } from '../options/commonSettings.ts'
import { type Config, loadConfig } from '../options/config.ts'
import { openDeployment } from '../options/networkOptions.ts'
import { jsonOption, numberOption, textOption } from '../options/optionKinds.ts'
import { peerSettings } from '../options/settings.ts'
import { showResult } from '../showResult.ts'
import { stopSignal } from '../untilInterrupted.ts'
import { UsageError } from '../usageError.ts'

/** Standard output. */
const STDOUT = '-'

const actions = [
  { name: 'get', arguments: 'FILE', text: "write a peer's committed rollouts of a round to FILE: --round, --peer" },
  {
    name: 'verify',
    arguments: 'FILE',
    text: "compare such a file with the peer's commitment on the chain; exit code 1 if anything differs",
  },
  {
    name: 'export',
    arguments: 'FILE',
    text: `write the rollouts as JSON lines with text, tokens and log-probabilities: --round, --peer; ${STDOUT} for standard output`,
  },
] as const satisfies readonly CommandAction[]

const own = {
  round: numberOption('the round'),
  peer: textOption('NAME', 'name of three words, peer id or key of the peer'),
  ...jsonOption,
}

/** Settings for a swarm of chat models. */
const { bootnodes, environment, model, judge } = peerSettings

/** Writes a solver's committed rollouts to a file. */
export const bundle = defineCommand({
  usage: 'npx waggle bundle ACTION [FILE] [OPTIONS]',
  about: "Rollouts are read from the peer's folder, or fetched from peers that have them. No keys are needed.",
  own,
  peer: { bootnodes, environment, model, judge, ...hubSettings, ...peerOnChain },
  actions,
  positionals: ['ACTION'],
  morePositionals: ['FILE'],
  async run({ json: asJson, round, peer }, [word = '', file], flags) {
    const action = knownAction(word, actions)
    if (file === undefined)
      throw new UsageError(`bundle ${action} needs FILE.`, { hint: 'See npx waggle bundle --help.' })
    const config = loadConfig(flags)
    if (action === 'verify') return verify(config, file, asJson)
    const number = required('round', round)
    const name = required('peer', peer, 'Name the peer whose rollouts to read.')
    await withReader(config, async (reader, environments) => {
      const { bytes, payload } = await reader.get(number, name)
      if (action === 'get') await writeFile(file, bytes)
      else {
        const { bundleLines } = await import('#roles/evidence/bundleReader.ts')
        const format = environments[0]?.format
        if (format === undefined)
          throw new UsageError('No environment is known.', { hint: 'Name one with --environment.' })
        const lines = async function* () {
          for await (const line of bundleLines(payload, format)) yield `${JSON.stringify(line)}\n`
        }
        await pipeline(Readable.from(lines()), file === STDOUT ? process.stdout : createWriteStream(file), {
          end: file !== STDOUT,
        })
      }
      const rollouts = payload.groups.reduce((sum, group) => sum + group.rollouts.length, 0)
      if (file !== STDOUT) showResult({ file, round: number, peer: name, rollouts }, asJson)
    })
  },
})

async function verify(config: Config, file: string, asJson: boolean): Promise<void> {
  const bytes = await readBundle(file)
  await withReader(config, async reader => {
    const found = await reader.verify(new Uint8Array(bytes))
    if (found.findings.length > 0) process.exitCode = 1
    showResult(found, asJson)
  })
}

/** Reads a file that may be a stranger's: refuses a file that cannot be a bundle before reading it. */
async function readBundle(file: string): Promise<Buffer> {
  const hint = 'Give a file that npx waggle bundle get wrote.'
  const unreadable = (cause: unknown): never => {
    throw new UsageError(`${file} cannot be read.`, { hint, cause })
  }
  const found = await stat(file).catch(unreadable)
  if (!found.isFile() || found.size > formatSizes.rollouts)
    throw new UsageError(`${file} is not a file of ${formatSizes.rollouts} bytes at most, as bundles are.`, { hint })
  return readFile(file).catch(unreadable)
}

type Reader = Awaited<ReturnType<typeof import('#roles/evidence/bundleReader.ts').openBundleReader>>
type Environments = Awaited<ReturnType<typeof import('#roles/audit/auditRollouts.ts').openEnvironments>>

async function withReader(config: Config, use: (reader: Reader, environments: Environments) => Promise<void>) {
  const signal = stopSignal()
  const chat = await openChatModels(config, signal)
  const [{ openBundleReader }, { openEnvironments }] = await Promise.all([
    import('#roles/evidence/bundleReader.ts'),
    import('#roles/audit/auditRollouts.ts'),
  ])
  const environments = await openEnvironments(chat)
  const { data, bootnodes } = config
  const modules = { clock: systemClock, logger: silentLogger, signal }
  const reader = await openBundleReader({ ...openDeployment(config), data, bootnodes, environments, ...modules })
  await use(reader, environments).finally(() => reader.close())
}
