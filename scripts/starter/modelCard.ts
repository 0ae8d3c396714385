import type { Bar, Report } from './bars.ts'
import type { ExportedModel } from './stages/exportStage.ts'

/** Origin of the models. */
export type Origin = { commit: string; seed: number; machine: string; minutes: number }
export type ModelFacts = { parameters: number; bytes: number; weightsHash: string; fileHash: string }

const titles: Record<ExportedModel, string> = { solver: 'Waggle starter solver', judge: 'Waggle starter judge' }

const purposes: Record<ExportedModel, string> = {
  solver: `Writes small Python functions, and proposes such problems with unit tests. Its corpus is wrong on purpose (12 to 60 % by
concept), so that reinforcement learning has something to teach it.`,
  judge: `Reads code, its names made canonical, and tells how likely the problem's text is then; calibrated (\`waggle.calibration\`
in \`config.json\`) that is the probability that the code is right. It never runs code. It is frozen in a swarm.`,
}

/** The README.md of a folder of weights. */
export function modelCard(name: ExportedModel, facts: ModelFacts, origin: Origin, report: Report, bars: Bar[]): string {
  return `# ${titles[name]}

${purposes[name]}

Made from nothing by \`npm run starter\`: Qwen2 architecture, its own byte-level BPE tokenizer, and the procedural curriculum
of \`node/src/environments/codezero/curriculum\`. Nothing was downloaded.

| | |
|---|---|
| commit | ${origin.commit} |
| seed | ${origin.seed} |
| machine | ${origin.machine} |
| duration | ${origin.minutes} minutes for both models |
| parameters | ${facts.parameters} |
| file | ${facts.bytes} bytes, bfloat16, sha-256 ${facts.fileHash} |
| weights | ${facts.weightsHash} (sha-256 of the weights as float32 safetensors) |

## Measured

On these very weights, by running tests on held-out functions (10 % by hash of what a function computes; refused everywhere as
training material). Sizes and seeds are in \`scripts/starter\`; all figures in \`../report.json\`.

| what | bar | measured | |
|---|---|---|---|
${bars.map(({ what, bar, measured, holds }) => `| ${what} | ${bar} | ${measured.toFixed(3)} | ${holds ? 'holds' : 'FAILS'} |`).join('\n')}

Shared training: ${report.sharing.after.length} peers, one update on the own groups and one on those of each other peer a round;
pass@1 on 100 held-out level-3 tasks went from ${report.sharing.before} to ${report.sharing.after.join(', ')}, mean reward from
${report.sharing.firstReward} (first 5 rounds) to ${report.sharing.lastReward} (last 5).

| solver, held-out | level 1 | 2 | 3 | 4 | 5 |
|---|---|---|---|---|---|
${(['sampled', 'greedy'] as const)
  .map(
    how =>
      `| ${how} | ${Object.values(report.solving)
        .map(rates => rates[how].toFixed(3))
        .join(' | ')} |`,
  )
  .join('\n')}

## Weak spots

No bar is set for these.

- Random damage to right code: balanced accuracy ${report.judging.randomDamage.balanced} (rejects ${report.judging.randomDamage.rejectsWrong} of what is wrong).
- Right code with one calculation changed (a term or a factor more, operands swapped, a higher power): rejects ${report.judging.miscalculated.rejectsWrong} of
  what is wrong.
- Forms never trained on (index loops, \`filter\` with a lambda): ${report.judging.unseenForms.balanced}; accepts ${report.judging.unseenForms.acceptsRight} of what is right.
- Expected values in proposed unit tests are right in ${percent(report.proposing.rightTests)}. Rewards do not read them.
- Of ${report.proposing.sampled} proposals, ${percent(report.proposing.admitted)} are admitted as tasks; ${percent(report.proposing.heldOut)} are held-out functions, ${percent(report.proposing.anotherLevel)} of
  another level, ${percent(report.proposing.notUnderstood)} not of the curriculum.
- Trained long or fast against the judge, a solver learns to fool it: watch the canary.
- English and Python of the curriculum only.
`
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`
