/** `npm run check:house`: what documents promise. Prints one line a finding, with file and line, and fails if there is any. */
import { resolve } from 'node:path'
import { checkBenchmarks } from './house/checkBenchmarks.ts'
import { checkDecisions } from './house/checkDecisions.ts'
import { checkLinks } from './house/checkLinks.ts'
import { checkPhrases } from './house/checkPhrases.ts'
import { checkReadme } from './house/checkReadme.ts'
import { readDocuments } from './house/readDocuments.ts'

const root = resolve(import.meta.dirname, '..')
const documents = await readDocuments(root)
const findings = [
  ...checkLinks(root, documents),
  ...checkPhrases(documents),
  ...checkReadme(documents),
  ...checkDecisions(documents),
  ...(await checkBenchmarks(root, documents)),
]
for (const finding of findings) console.error(finding)
console.log(`${documents.size} documents, ${findings.length} findings`)
process.exitCode = findings.length === 0 ? 0 : 1
