import { expect, test } from 'vitest'
import { StepBudget } from './stepBudget.ts'

/** A machine with free bytes, of which this process takes some. */
function machineOf(bytes: number) {
  const machine = { taken: 0, others: 0 }
  const memory = {
    plannable: (held: number) => bytes - machine.others - machine.taken + held,
    resident: () => machine.taken,
  }
  const budget = new StepBudget(memory)
  let isOpen = false
  const step = (planned: number, taken: number) => {
    const given = budget.next(1, isOpen)
    budget.plan(planned)
    if (!isOpen) budget.open()
    isOpen = true
    machine.taken = taken
    return given
  }
  return { machine, step }
}

test('a pass counts with what it holds, not with what it planned and has not taken', () => {
  const { step } = machineOf(1000)
  const given = [step(800, 0), step(800, 100), step(800, 600), step(800, 600)]
  expect(given).toEqual([1000, 1000, 1000, 1000])
})

test('the bytes of the next step follow what others take and free, small changes left out', () => {
  const { machine, step } = machineOf(1000)
  expect(step(800, 600)).toBe(1000)
  machine.others = 100
  expect(step(800, 600)).toBe(1000)
  machine.others = 900
  expect(step(50, 600)).toBe(300)
  machine.others = 0
  expect(step(800, 50)).toBe(450)
  expect(step(800, 600)).toBe(1000)
})
