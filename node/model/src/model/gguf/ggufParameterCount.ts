import { ROPE_FACTORS } from './ggufTensors.ts'
import { readGguf } from './readGguf.ts'

/**
 * Number of parameters of the model in a GGUF file, by the shapes in its header. Its weights are not read.
 *
 * @throws {ModelFileError} naming the file and the field or tensor.
 */
export async function ggufParameterCount(path: string): Promise<number> {
  const { tensors } = await readGguf(path)
  const weights = [...tensors.values()].filter(({ name }) => name !== ROPE_FACTORS)
  return weights.reduce((sum, { shape }) => sum + shape.reduce((product, length) => product * length, 1), 0)
}
