import { expect, test } from 'vitest'
import { parseOptions } from './options.ts'

test('says nothing, gets the swarm of the README', () => {
  expect(parseOptions([])).toMatchObject({ solvers: 3, evaluators: 3, port: 3000, 'chain-port': 8545, exit: false })
})

test('reads every option', () => {
  const argv = '--solvers 2 --evaluators 4 --rounds 5 --level 3 --exit --json --fresh --data x --port 4000'.split(' ')
  expect(parseOptions(argv)).toMatchObject({
    solvers: 2,
    evaluators: 4,
    rounds: 5,
    level: 3,
    exit: true,
    json: true,
    fresh: true,
    port: 4000,
  })
})

test('reads the models of an environment', () => {
  const argv = '--environment env.json --model smol --lora 16 --lora-base int8'.split(' ')
  expect(parseOptions(argv)).toMatchObject({ environment: 'env.json', model: 'smol', lora: 16, 'lora-base': 'int8' })
  expect(parseOptions('--environment env.json --model smol --lora 0'.split(' '))).toMatchObject({ lora: 0 })
})

test.each([
  ['--evaluators 1', 'evaluators'],
  ['--level 6', 'level'],
  ['--rounds none', 'rounds'],
  ['--exit', '--rounds'],
  ['--colour blue', 'colour'],
  ['--model x', '--environment'],
  ['--lora 8', '--model'],
  ['--proposer x', '--model'],
  ['--dataset-share 0.5', '--dataset'],
  ['--port 8544', 'port 8545 is that of the chain and of the gateway'],
  ['--dataset x --dataset-share 2', 'dataset-share'],
  ['--environment x --model y --lora-base int8', '--lora RANK'],
  ['--environment x --model y --lora 0 --lora-base int8', '--lora RANK'],
])('%s is refused by name', (argv, name) => {
  expect(() => parseOptions(argv.split(' '))).toThrow(name)
})
