import { flag, textOption } from './optionKinds.ts'

/** How a command runs a model on this machine. */
export const machineOptions = {
  precision: textOption('NAME', 'float32, float16, int8 or int4 (default float32)'),
  cache: textOption('DIR', "folder of quantised copies (default .waggle in the model's folder)"),
  device: textOption(
    'NAME',
    'cpu, webgpu, cuda, or auto for the device that npx waggle devices recommends (default cpu)',
  ),
}

/** How a command samples a model's answers. */
export const drawOptions = {
  greedy: flag('take the most likely token instead of sampling'),
  temperature: textOption('X', 'divides the logits (default 1)'),
  'top-k': textOption('N', 'only the N most likely tokens'),
  'top-p': textOption('X', 'only the most likely tokens that together have this probability'),
  'min-p': textOption('X', 'only tokens at least this share as likely as the most likely one'),
  'repetition-penalty': textOption('X', 'divides the logits of tokens that already occurred'),
}
