import { describe, expect, test } from 'vitest'
import { caseModel } from './cases/caseModel.ts'
import { opCases } from './cases/opCases.ts'
import { GraphError } from './engineError.ts'
import { checkGradients } from './gradientCheck.ts'
import { gradients } from './gradients.ts'
import { Graph } from './graph.ts'
import type { Op } from './op.ts'
import { opTable } from './opTable.ts'
import * as t from './tensor.ts'

const rows = Object.entries(opTable) as [Op, (typeof opTable)[Op]][]

describe('every differentiable op agrees with finite differences in float64', () => {
  for (const [op, row] of rows) {
    if (typeof row.gradient !== 'function') continue
    test(`${op} within 1e-7`, async () => {
      for (const opCase of opCases[op]) {
        const { model, feeds } = caseModel(op, opCase, 'f64', 'cpu')
        const check = await checkGradients(model, feeds)
        expect(check.checked).toBeGreaterThan(0)
        expect(check.worst, `${opCase.title ?? op} at ${check.at}`).toBeLessThan(1e-7)
      }
    })
  }
})

test('the gradient of a forward-only op is refused when the graph is built', () => {
  const graph = new Graph()
  const x = graph.input('x', 'f32', ['B', 'S', 8])
  const positions = graph.input('positions', 'i64', ['B', 'S'])
  const table = graph.constant('f32', [4, 2], new Float32Array(8))
  const loss = t.sumOver(graph.apply1('RotaryEmbedding', [x, positions, table, table], { num_heads: 2 }))
  expect(() => gradients(loss, [x])).toThrow(GraphError)
  expect(() => gradients(loss, [x])).toThrow('RotaryEmbedding has no gradient')
})

test('no gradient flows through a discrete op, and what the loss does not depend on has a gradient of zeros', () => {
  const graph = new Graph()
  const x = graph.input('x', 'f32', ['B', 3])
  const loss = t.sumOver(t.cast(t.argMax(x, -1), 'f32'))
  const [gradient] = gradients(loss, [x])
  expect(gradient?.shape).toEqual(['B', 3])
  expect(gradient?.producer?.op).toBe('Expand')
})
