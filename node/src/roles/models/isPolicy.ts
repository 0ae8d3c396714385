import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Whether a solver saved its weights, or an adapter, in a folder. A folder with a tokenizer only is that of a solver that never saved. */
export function isPolicy(folder: string): boolean {
  return ['model.safetensors', 'adapter_config.json'].some(file => existsSync(join(folder, file)))
}
