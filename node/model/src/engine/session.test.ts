import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { Graph } from './graph.ts'
import { kernelTraits } from './kernelTraits.ts'
import { encodeModel } from './onnxModel.ts'
import { createSession, type Session, tensor } from './session.ts'
import * as t from './tensor.ts'
import type { Value } from './value.ts'

// A process often begins with it: what the runtime takes from its first session alone has to hold after it too.
await kernelTraits()

const open: Session[] = []

afterEach(async () => {
  for (const session of open.splice(0)) await session.dispose()
})

/** y = x W^T + 1, and the sum of x. */
function affine() {
  const graph = new Graph()
  const x = graph.input('x', 'f32', ['B', 3])
  const w = graph.input('w', 'f32', [2, 3])
  graph.input('unused', 'f32', [1])
  return encodeModel({ y: t.addScalar(t.linear(x, w), 1), total: t.sumOver(x) })
}

async function sessionOf(model = affine()): Promise<Session> {
  const session = await createSession(model, { threads: 1 })
  open.push(session)
  return session
}

const x = tensor('f32', Float32Array.of(1, 2, 3, 4, 5, 6), [2, 3])
const w = tensor('f32', Float32Array.of(1, 0, 0, 0, 1, 0), [2, 3])

test('a run takes feeds by name and gives outputs by name, with their shapes', async () => {
  const session = await sessionOf()
  expect([...session.model.inputs.keys()]).toEqual(['x', 'w'])
  const { y, total } = await session.run({ x, w })
  expect(y).toEqual({ dtype: 'f32', shape: [2, 2], data: Float32Array.of(2, 3, 5, 6) })
  expect(total).toEqual({ dtype: 'f32', shape: [], data: Float32Array.of(21) })
  expect(Object.keys(await session.run({ x, w }, ['total']))).toEqual(['total'])
})

test('an output is the value itself under its name, and a copy only under a second one', async () => {
  const graph = new Graph()
  const a = graph.input('a', 'f32', ['B'])
  const double = t.scale(a, 2)
  const model = encodeModel({ first: double, second: double, square: t.mul(double, double), a })
  const text = Buffer.from(model.bytes).toString('latin1')
  expect(text.match(/Identity_/g)).toHaveLength(1)
  const session = await sessionOf(model)
  const { first, second, square, a: fed } = await session.run({ a: tensor('f32', Float32Array.of(1, 3), [2]) })
  expect([first, second, square, fed].map(output => [...(output?.data ?? [])])).toEqual([
    [2, 6],
    [2, 6],
    [4, 36],
    [1, 3],
  ])
})

test('inputs are read in place: what changes between runs is seen', async () => {
  const session = await sessionOf()
  const data = Float32Array.of(1, 1, 1)
  const fed = { x: tensor('f32', data, [1, 3]), w }
  await session.run(fed)
  data[0] = 7
  expect((await session.run(fed)).total?.data[0]).toBe(9)
})

test('a missing, unknown, mistyped or misshapen feed is named', async () => {
  const session = await sessionOf()
  await expect(session.run({ x })).rejects.toThrow('input w was not fed')
  await expect(session.run({ x, w, z: x })).rejects.toThrow('no input named z')
  const wrong = tensor('f64', new Float64Array(6), [2, 3])
  await expect(session.run({ x: wrong, w })).rejects.toThrow('x: f64[2,3] for f32[B,3]')
  const misshapen = tensor('f32', new Float32Array(4), [2, 2])
  await expect(session.run({ x: misshapen, w })).rejects.toMatchObject({ code: 'ENGINE_SESSION' })
  const short = tensor('f32', new Float32Array(5), [2, 3])
  await expect(session.run({ x: short, w })).rejects.toThrow('with 5 elements')
})

test('a symbol has one value a run', async () => {
  const graph = new Graph()
  const [a, b] = [graph.input('a', 'f32', ['N']), graph.input('b', 'f32', ['N'])]
  const session = await sessionOf(encodeModel({ sum: t.add(a, b) }))
  const [two, three] = [2, 3].map(n => tensor('f32', new Float32Array(n), [n]))
  await expect(session.run({ a: two, b: three } as never)).rejects.toThrow('where N is 2')
})

test('a model that ONNX Runtime refuses is a SessionError that says why', async () => {
  const model = { ...affine(), bytes: new Uint8Array(16) }
  await expect(createSession(model)).rejects.toMatchObject({
    code: 'ENGINE_SESSION',
    hint: expect.stringContaining('1.30.0'),
  })
})

test('graphs built alike have the same bytes, and leave out what the outputs do not need', () => {
  expect(affine().bytes).toEqual(affine().bytes)
  expect(affine().hash).toMatch(/^[0-9a-f]{64}$/)
  expect(affine().inputs.has('unused')).toBe(false)
})

test('stored weights are read beyond 2 GiB of a file', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'waggle-stored-')), 'sparse')
  onTestFinished(() => rmSync(dirname(path), { recursive: true }))
  const [file, offset] = [openSync(path, 'w'), 2 ** 31 + 4096] // behind a hole, which takes no space
  writeSync(file, Float32Array.of(1, 2, 3), 0, 12, offset)
  closeSync(file)
  const graph = new Graph()
  const weight = graph.stored('f32', [3], { path, offset, name: 'w' })
  const session = await sessionOf(encodeModel({ y: t.mul(graph.input('x', 'f32', [3]), weight) }))
  const { y } = await session.run({ x: tensor('f32', Float32Array.of(1, 10, 100), [3]) })
  expect(y?.data).toEqual(Float32Array.of(1, 20, 300))
})

test('stored weights are found under several folders, and the hash does not say where they lie', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'waggle-stored-'))
  const place = (path: string) => {
    mkdirSync(dirname(join(scratch, path)), { recursive: true })
    writeFileSync(join(scratch, path), new Uint8Array(new Float32Array([0, 1, 2, 3]).buffer))
    return { path: join(scratch, path), offset: 4 }
  }
  const model = (paths: [string, string], names = ['a', 'b']) => {
    const graph = new Graph()
    const [a, b] = paths.map((path, i) => graph.stored('f32', [3], { ...place(path), name: names[i] as string })) as [
      Value,
      Value,
    ]
    return encodeModel({ sum: t.add(t.mul(graph.input('x', 'f32', [3]), a), b) })
  }
  const apart = model(['one/deep/first', 'other/second'])
  const { sum } = await (await sessionOf(apart)).run({ x: tensor('f32', Float32Array.of(1, 10, 100), [3]) })
  expect(sum?.data).toEqual(Float32Array.of(2, 22, 303))
  expect(model(['together', 'together']).hash).toBe(apart.hash)
  expect(model(['one/deep/first', 'other/second'], ['b', 'a']).hash).not.toBe(apart.hash)
  rmSync(scratch, { recursive: true })
})

test.each([0, -1, 1.5, Number.NaN, 100_000])('%d threads are refused before the runtime starts any', async threads => {
  await expect(createSession(affine(), { threads })).rejects.toThrow(`${threads} threads`)
})

test('a missing device is refused with a hint where to find what it needs', async () => {
  const refused = createSession({ ...affine(), device: 'abacus' as 'cuda' })
  await expect(refused).rejects.toMatchObject({
    code: 'ENGINE_SESSION',
    hint: expect.stringContaining('reportDevices'),
  })
})

test('shapes that do not fit are refused where the graph is built', () => {
  const graph = new Graph()
  const [a, b] = [graph.input('a', 'f32', ['B', 3]), graph.input('b', 'f32', ['B', 4])]
  expect(() => t.add(a, b)).toThrow('do not broadcast')
  expect(() => t.matMul(a, b)).toThrow('do not multiply')
  expect(() => t.transpose(a, [0, 0])).toThrow('does not permute')
  expect(() => t.add(a, graph.input('c', 'i64', ['B', 3]))).toThrow('do not mix')
  expect(() => t.add(a, new Graph().input('a', 'f32', ['B', 3]))).toThrow('another graph')
  expect(() => graph.input('a', 'f32', [])).toThrow('already has an input')
  expect(() => graph.length('Q')).toThrow('no input has a dimension named Q')
})

test('outputs are written into given memory', async () => {
  const session = await sessionOf()
  const memory = new Float32Array(6)
  const place = tensor('f32', memory.subarray(1, 5), [2, 2])
  const { total } = await session.run({ x, w }, { y: place, total: null })
  expect([...memory]).toEqual([0, 2, 3, 5, 6, 0])
  expect(total?.data[0]).toBe(21)
})

test('a model may take what another model of the same graph gave', async () => {
  const graph = new Graph()
  const x = graph.input('x', 'f32', ['B', 3])
  const hidden = t.exp(x)
  const first = await sessionOf(encodeModel({ [hidden.name]: hidden }))
  const second = await sessionOf(encodeModel({ y: t.neg(hidden) }, [hidden]))
  expect([...second.model.inputs.keys()]).toEqual([hidden.name])
  const fed = { x: tensor('f32', Float32Array.of(0, 1, 2), [1, 3]) }
  const { y } = await second.run(await first.run(fed))
  expect(y?.data[2]).toBeCloseTo(-Math.exp(2), 5)
})

test('a sum and its norm in one node are the sum and the norm', async () => {
  const graph = new Graph()
  const [a, b] = ['a', 'b'].map(name => graph.input(name, 'f32', ['R', 3])) as [Value, Value]
  const weight = graph.constant('f32', [3], Float32Array.of(1, 2, -1))
  const { sum, normal } = t.addRmsNorm(a, b, weight, 1e-6)
  const session = await sessionOf(encodeModel({ sum, normal, expected: t.rmsNorm(t.add(a, b), weight, 1e-6) }))
  const [rows, others] = [x, tensor('f32', x.data.map(v => 1 / v) as Float32Array<ArrayBuffer>, [2, 3])]
  const outputs = await session.run({ a: rows, b: others })
  expect(outputs.sum?.data).toEqual(x.data.map((v, i) => v + (others.data[i] as number)))
  const differences = [...(outputs.normal?.data ?? [])].map((v, i) =>
    Math.abs(Number(v) - Number(outputs.expected?.data[i])),
  )
  expect(Math.max(...differences)).toBeLessThan(1e-6)
  expect(() => t.addRmsNorm(a, t.sumOver(b, [0]), weight, 1e-6)).toThrow('AddRmsNorm: [R,3] and [3] differ')
})

test('numbers too small for the processor’s fast paths count as 0: weights may be a stranger’s', async () => {
  const graph = new Graph()
  const a = graph.input('a', 'f32', ['B', 4])
  const b = graph.input('b', 'f32', [2, 4])
  const session = await sessionOf(encodeModel({ y: t.linear(a, b) }))
  const tiny = Float32Array.of(1e-20, 2e-20, 3e-20, 4e-20)
  const { y } = await session.run({
    a: tensor('f32', tiny, [1, 4]),
    b: tensor('f32', Float32Array.of(...tiny, ...tiny), [2, 4]),
  })
  // 3e-39, were it kept.
  expect(y?.data).toEqual(Float32Array.of(0, 0))
})
