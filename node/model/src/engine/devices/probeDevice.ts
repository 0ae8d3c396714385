import { Graph } from '../graph.ts'
import { encodeModel } from '../onnxModel.ts'
import { createSession, tensor } from '../session.ts'
import { cast, linear } from '../tensor.ts'
import { devices } from './device.ts'
import { VULKAN_LOG } from './vulkanLog.ts'

// Runs in its own process, started by `tryDevice`: multiplies two matrices on the device in argv, in float16 if argv says so, and reports whether the
// result is correct. The Vulkan loader's log goes to stderr. A crashing driver takes down only this process.
const device = devices.find(name => name === process.argv[2])
if (device === undefined) throw new RangeError(`unknown device ${process.argv[2]}`)
// biome-ignore lint/style/noProcessEnv: the Vulkan loader has no other setting, and this process is the probe's own.
process.env.VK_LOADER_DEBUG = VULKAN_LOG
const isFloat16 = process.argv[3] === 'float16'
const graph = new Graph()
const [x, w] = [graph.input('x', 'f32', ['B', 2]), graph.input('w', 'f32', [3, 2])]
const product = isFloat16 ? cast(linear(cast(x, 'f16'), cast(w, 'f16')), 'f32') : linear(x, w)
const session = await createSession(encodeModel({ product }, [], device))
const outputs = await session.run({
  x: tensor('f32', Float32Array.of(1, 2, 3, 4), [2, 2]),
  w: tensor('f32', Float32Array.of(1, 0, 0, 1, 1, 1), [3, 2]),
})
const found = Array.from(outputs.product?.data ?? [], Number).join()
if (found !== '1,2,3,3,4,7') throw new RangeError(`a product came out as ${found}`)
