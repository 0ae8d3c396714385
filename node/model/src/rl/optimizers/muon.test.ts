import { expect, test } from 'vitest'
import { randomStream } from '#base/random.ts'
import { createMuon } from './muon.ts'

const matrix = 'model.layers.0.mlp.up_proj.weight'
const table = 'model.embed_tokens.weight'

function normal(count: number, seed: string): Float32Array {
  const stream = randomStream('muon test', seed)
  return Float32Array.from({ length: count }, () => stream.normal())
}

/** The update of a zero matrix by one step at learning rate 1 without decay, less Muon's scale. */
async function orthogonalized(shape: [number, number], gradient: Float32Array): Promise<Float32Array> {
  const data = new Float32Array(gradient.length)
  const optimizer = await createMuon(new Map([[matrix, { shape, data }]]), { weightDecay: 0, threads: 1 })
  await optimizer.step(new Map([[matrix, gradient]]), 1)
  await optimizer.dispose()
  const scale = 0.2 * Math.sqrt(Math.max(...shape))
  return data.map(x => -x / scale)
}

/** X X^T of a [rows, columns] matrix. */
function gram(x: Float32Array, rows: number, columns: number): number[][] {
  const dot = (i: number, j: number) => {
    let sum = 0
    for (let k = 0; k < columns; k++) sum += (x[i * columns + k] as number) * (x[j * columns + k] as number)
    return sum
  }
  return Array.from({ length: rows }, (_, i) => Array.from({ length: rows }, (_, j) => dot(i, j)))
}

test('the update is nearly orthogonal: rows of length 0.7 to 1.2, at right angles within 0.3', async () => {
  const products = gram(await orthogonalized([6, 24], normal(144, 'wide')), 6, 24)
  for (const [i, row] of products.entries()) {
    for (const [j, product] of row.entries()) {
      if (i === j) expect(Math.sqrt(product)).toBeGreaterThan(0.7)
      if (i === j) expect(Math.sqrt(product)).toBeLessThan(1.2)
      else expect(Math.abs(product)).toBeLessThan(0.3)
    }
  }
})

test('a tall matrix has the update of its transpose, transposed', async () => {
  const [rows, columns] = [5, 12]
  const wide = normal(rows * columns, 'tall')
  const tall = wide.map((_, n) => wide[(n % rows) * columns + Math.floor(n / rows)] as number)
  const [a, b] = [await orthogonalized([rows, columns], wide), await orthogonalized([columns, rows], tall)]
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) expect(b[j * rows + i]).toBeCloseTo(a[i * columns + j] as number, 5)
  }
})

test('one singular direction is scaled as the quintic says', async () => {
  // A matrix of rank one has the singular value 1 after normalization; five rounds of 3.4445 s - 4.775 s^3 + 2.0315 s^5.
  let s = 1 / (1 + 1e-7)
  for (let i = 0; i < 5; i++) s = 3.4445 * s - 4.775 * s ** 3 + 2.0315 * s ** 5
  const update = await orthogonalized([2, 2], Float32Array.of(3, 0, 0, 0))
  expect(update[0]).toBeCloseTo(s, 4)
  expect([...update].slice(1)).toEqual([-0, -0, -0])
})

test('momentum is Nesterov’s, and the embedding is left to AdamW', async () => {
  const parameters = new Map([
    [matrix, { shape: [1, 2], data: new Float32Array(2) }],
    [table, { shape: [1, 2], data: new Float32Array(2) }],
  ])
  const optimizer = await createMuon(parameters, { weightDecay: 0, threads: 1 })
  await optimizer.step(
    new Map([
      [matrix, Float32Array.of(1, 0)],
      [table, Float32Array.of(1e-3, -7)],
    ]),
    0.01,
  )
  expect([...(parameters.get(table)?.data ?? [])].map(x => Math.round(x * 1e6) / 1e6)).toEqual([-0.01, 0.01])
  expect(optimizer.state().tensors.get(`momentum.${matrix}`)?.[0]).toBeCloseTo(0.05, 7)
  expect([...optimizer.state().tensors.keys()].sort()).toEqual(
    [`mean.${table}`, `momentum.${matrix}`, `square.${table}`].sort(),
  )
  await optimizer.dispose()
})
