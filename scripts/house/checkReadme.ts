import type { Texts } from './readTexts.ts'

const MAX_WORDS = 1_400
const MAX_FIGURES = 10

/**
 * The README stays short: it is what a newcomer reads first.
 *
 * @param gas - of all roles, for each peer and round.
 */
export function checkReadme(documents: Texts, gas: number): string[] {
  const text = documents.get('README.md') ?? ''
  const findings: string[] = []
  const words = text.split(/\s+/).filter(word => word !== '').length
  if (words > MAX_WORDS) findings.push(`README.md: ${words} words, at most ${MAX_WORDS}`)
  const [, figures = ''] = text.split(/^## Figures$/m)
  const rows = [...figures.matchAll(/^\|.*\|$/gm)].length - 2
  if (rows < 1) findings.push('README.md: no table under ## Figures')
  if (rows > MAX_FIGURES) findings.push(`README.md: ${rows} figures, at most ${MAX_FIGURES}`)
  const [, told] = /^\| gas of all roles[^|]*\| ([\d,]+) \|/m.exec(figures) ?? []
  if (told !== undefined && told !== gas.toLocaleString('en-US'))
    findings.push(
      `README.md: gas of all roles is ${told}, contracts/gas-snapshot.json has ${gas.toLocaleString('en-US')}`,
    )
  for (const command of ['npm install && npm run swarm', 'npm install && npm test'])
    if (!text.includes(command)) findings.push(`README.md: does not say ${command}`)
  return findings
}
