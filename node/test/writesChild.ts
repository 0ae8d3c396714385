/**
 * A writer of a solver's files, round after round: started and killed by killedWrites.long.test.ts. It prints each write that has
 * returned, and at its start what it finds. Arguments: data folder, number of rounds.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { writeFileAtomicSync } from '#base/writeFileAtomic.ts'
import { systemClock } from '#core/clock.ts'
import type { ContentId } from '#core/hashes.ts'
import { silentLogger } from '#core/logger.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import { initWeights } from '#model/decoder/initWeights.ts'
import { tinyConfig } from '#model/decoder/tinyDecoder.ts'
import { hashWeights, readWeights, type Weights } from '#model/decoder/weights.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { readLora } from '#model/lora/loraFiles.ts'
import { readOptimizerState, saveAdapterCheckpoint, saveCheckpoint } from '#rl/checkpoint.ts'
import { adapterToTrain } from '#roles/models/adapterToTrain.ts'
import { openBundles } from '#store/bundles.ts'
import { migrateFolder } from '#store/folderFormat.ts'
import { openIdentity } from '#store/identity.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'

/** 2 MiB of weights, so that a kill may fall into their write. */
const config: DecoderConfig = { ...tinyConfig, vocabSize: 32_768 }
const BUNDLE_BYTES = 500_000

const [data = '', rounds = '0'] = process.argv.slice(2)
const [policy, adapter, settings] = [join(data, 'policy'), join(data, 'adapter'), join(data, 'waggle.yaml')]
migrateFolder(data, () => {})
const { peerId } = await openIdentity(data)
const journal = createJournal(openDatabase(join(data, 'journal.sqlite')), systemClock)
const bundles = await openBundles(join(data, 'bundles'), { logger: silentLogger })

const weights = initWeights(config, 'killed')
const factors = initLora(config, { rank: 8, alpha: 16, targets: ['down_proj'], rankStabilized: false }, 'killed')

/** Marks every tensor with a round, so that parts of two saves do not pass for one. */
function mark(tensors: Weights, round: number): void {
  for (const { data } of tensors.values()) data.fill(round)
}

/** The round of saved tensors and of the optimizer's state with them. @throws if they are of several rounds. */
async function roundOf(folder: string, tensors: Weights): Promise<number> {
  const state = await readOptimizerState(folder, hashWeights(tensors))
  if (state === null) throw new Error(`the state of ${folder} is lost`)
  const saved: Float32Array[] = [...[...tensors.values()].map(({ data }) => data), ...state.tensors.values()]
  const isOfItsRound = saved.every(data => data.every(value => value === state.steps))
  if (!isOfItsRound) throw new Error(`${folder} is of several rounds`)
  return state.steps
}

const stateOf = (round: number) => ({ steps: round, tensors: new Map([['m', new Float32Array(200_000).fill(round)]]) })

/** Rounds whose rollouts are here as a whole, of those that the journal knows. */
async function wholeBundles(): Promise<number> {
  let whole = 0
  for (let round = 1; round <= (journal.latestRound() ?? 0); round++) {
    const bytes = await bundles.get(journal.get(round, 'rollouts') as ContentId)
    if (bytes?.every(byte => byte === round % 256)) whole++
  }
  return whole
}

const kept = await adapterToTrain(adapter, undefined)
const found = {
  peerId,
  journal: journal.latestRound() ?? 0,
  bundle: await wholeBundles(),
  policy: existsSync(join(policy, 'model.safetensors')) ? await roundOf(policy, await readWeights(policy, config)) : 0,
  adapter: kept ? await roundOf(adapter, (await readLora(adapter, config)).factors) : 0,
  settings: existsSync(settings) ? parse(readFileSync(settings, 'utf8')) : { round: 0, 'log-format': 'json' },
}
console.log(`found ${JSON.stringify(found)}`)

/** Settings of an older release, which a start migrates. The number comes first: a step that is not needed changes nothing. */
function writeOldSettings(round: number): void {
  writeFileAtomicSync(join(data, 'format'), '0\n')
  writeFileAtomicSync(settings, `# mine\nlog: json\nround: ${round}\n`)
}

for (let round = found.journal + 1; round <= found.journal + Number(rounds); round++) {
  journal.set(round, 'rollouts', await bundles.put(new Uint8Array(BUNDLE_BYTES).fill(round), round))
  console.log(`bundle ${round}`)
  mark(weights, round)
  await saveCheckpoint(policy, config, weights, stateOf(round))
  console.log(`policy ${round}`)
  mark(factors.factors, round)
  await saveAdapterCheckpoint(adapter, factors, stateOf(round), 'base', 'int8')
  console.log(`adapter ${round}`)
  writeOldSettings(round)
  migrateFolder(data, () => {})
  console.log(`settings ${round}`)
}
