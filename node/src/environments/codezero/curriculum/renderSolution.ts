import type { SeededRandom } from '../../seededRandom.ts'
import { filters } from './filters.ts'
import { maps } from './maps.ts'
import { afters, arithmetics, stringOperations } from './operations.ts'
import { renderLoop } from './renderLoop.ts'
import { enclosed, type Naming, type Spelling, type Style, spellingOf, write } from './spelling.ts'
import type { StructuralBug } from './structuralBugs.ts'
import type { ArithmeticMeaning, ConditionMeaning, Meaning, Problem } from './task.ts'
import { phrase } from './taskText.ts'

export type RenderOptions = { style?: Style; naming?: Naming; bug?: StructuralBug | null }

/**
 * Python code that computes a meaning under a problem's header; right, unless a bug is planted.
 *
 * @param problem - gives name and parameters; its text is not read.
 * @returns one function definition, ending in a newline.
 */
export function renderSolution(
  problem: Pick<Problem, 'name' | 'parameters'>,
  meaning: Meaning,
  random: SeededRandom,
  { style = 'any', naming = 'training', bug = null }: RenderOptions = {},
): string {
  const spelling = spellingOf(style, naming, random)
  const lines = renderBody(meaning, spelling, bug).map(line => `    ${line}\n`)
  return `def ${problem.name}(${problem.parameters.join(', ')}):\n${lines.join('')}`
}

/** The function's body, one line a statement, indented relative to the body. */
function renderBody(meaning: Meaning, spelling: Spelling, bug: StructuralBug | null): string[] {
  switch (meaning.kind) {
    case 'arithmetic':
      return renderArithmetic(meaning, spelling)
    case 'string':
      return [
        `return ${phrase(spelling.choose(stringOperations[meaning.operation].spellings), meaning.count, meaning.letter)}`,
      ]
    case 'condition':
      return renderCondition(meaning, spelling)
    case 'loop':
      return renderLoop(meaning, spelling, bug)
  }
}

function renderArithmetic(meaning: ArithmeticMeaning, spelling: Spelling): string[] {
  const expression = spelling.choose(arithmetics[meaning.operation].spellings)
  if (meaning.after.id === 'none') return [`return ${expression}`]
  const after = spelling.choose(afters[meaning.after.id].spellings)
  if (spelling.isWide && spelling.random.chance(0.5)) {
    const name = spelling.accumulator()
    return [`${name} = ${expression}`, `return ${write(after, name, meaning.after.constant)}`]
  }
  return [`return ${write(after, enclosed(expression), meaning.after.constant)}`]
}

function renderCondition(meaning: ConditionMeaning, spelling: Spelling): string[] {
  const { random } = spelling
  const condition = write(spelling.choose(filters[meaning.filter.id].spellings), 'n', meaning.filter.constant) || 'True'
  const branch = (b: ConditionMeaning['whenTrue']) => write(spelling.choose(maps[b.id].spellings), 'n', b.constant)
  const [then, otherwise] = [branch(meaning.whenTrue), branch(meaning.whenFalse)]
  const forms = {
    returns: [`if ${condition}:`, `    return ${then}`, `return ${otherwise}`],
    ternary: [`return ${then} if ${condition} else ${otherwise}`],
    branches: [`if ${condition}:`, `    return ${then}`, 'else:', `    return ${otherwise}`],
    negated: [`if not (${condition}):`, `    return ${otherwise}`, `return ${then}`],
  }
  if (spelling.isWide) return forms[random.pick(['returns', 'ternary', 'branches', 'negated'] as const)]
  return forms[random.chance(0.8) ? 'returns' : 'ternary']
}
