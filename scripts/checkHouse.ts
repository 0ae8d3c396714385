/**
 * `npm run check:house`: links and paths of documents, phrases, options, commands of services, layers, folders that import each other, sizes of folders and files, and the lock file. Prints one
 * line a finding, with file and line, and fails if there is any.
 */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { layOutHelp } from '../node/src/cli/layOutHelp.ts'
import { verbs } from '../node/src/cli/verbs.ts'
import * as bench from './bench/options.ts'
import * as chaos from './chaos/options.ts'
import * as experiment from './experiment/options.ts'
import { checkBenchmarks } from './house/checkBenchmarks.ts'
import { checkChangelog } from './house/checkChangelog.ts'
import { checkClauses } from './house/checkClauses.ts'
import { checkDecisions } from './house/checkDecisions.ts'
import { checkFolders } from './house/checkFolders.ts'
import { checkLayers } from './house/checkLayers.ts'
import { checkLinks } from './house/checkLinks.ts'
import { checkLock } from './house/checkLock.ts'
import { checkOptions } from './house/checkOptions.ts'
import { checkPaths } from './house/checkPaths.ts'
import { checkPhases } from './house/checkPhases.ts'
import { checkDocuments, checkSources, phrasesToAvoid, SOURCES } from './house/checkPhrases.ts'
import { checkReadme } from './house/checkReadme.ts'
import { checkServices } from './house/checkServices.ts'
import { checkSiblings } from './house/checkSiblings.ts'
import { checkSizes } from './house/checkSizes.ts'
import { importGraph } from './house/importGraph.ts'
import { readTexts } from './house/readTexts.ts'
import * as mutate from './mutate/options.ts'
import * as simulate from './simulate/options.ts'
import * as starter from './starter/options.ts'
import * as swarm from './swarm/options.ts'

const root = resolve(import.meta.dirname, '..')
const documents = await readTexts(root, ['*.md'])
const sources = await readTexts(root, SOURCES)
const imports = importGraph(new Map([...sources].filter(([path]) => /\.(tsx?|sol)$/.test(path))))
const commands = new Map(
  await Promise.all(
    Object.entries(verbs).map(async ([name, { load }]) => {
      const { help, options } = await load()
      return [name, { usage: layOutHelp(help, Number.POSITIVE_INFINITY), options: Object.keys(options) }] as const
    }),
  ),
)
/** Options of `npm run NAME`. */
const scripts = new Map(
  Object.entries({ bench, chaos, experiment, mutate, simulate, starter, swarm }).map(
    ([name, { options }]) => [name, Object.keys(options)] as const,
  ),
)
const gas = JSON.parse(await readFile(join(root, 'contracts/gas-snapshot.json'), 'utf8'))
const findings = [
  ...checkLinks(root, documents),
  ...checkDocuments(documents),
  ...checkSources(phrasesToAvoid(documents), sources),
  ...checkClauses(sources),
  ...checkLayers(imports),
  ...checkSiblings(imports),
  ...checkFolders(sources),
  ...checkSizes(sources),
  ...checkOptions(documents, commands, scripts),
  ...checkPhases(sources),
  ...checkReadme(documents, gas.inRing.allRolesAPeer),
  ...checkChangelog(documents),
  ...checkPaths(documents, sources, imports),
  ...checkDecisions(documents),
  ...checkServices(documents),
  ...checkLock(await readFile(join(root, 'package-lock.json'), 'utf8')),
  ...(await checkBenchmarks(root, documents)),
]
for (const finding of findings) console.error(finding)
console.log(`${documents.size} documents, ${sources.size} sources, ${findings.length} findings`)
process.exitCode = findings.length === 0 ? 0 : 1
