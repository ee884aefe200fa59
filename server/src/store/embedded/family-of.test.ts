import { expect, test } from 'vitest'
import { familyOf } from './processes.ts'

test('a family is whoever was started by it, also where a child stands before its parent', () => {
  const processes = [
    { pid: 30, parentPid: 20 },
    { pid: 20, parentPid: 10 },
    { pid: 10, parentPid: 1 },
    { pid: 40, parentPid: 1 },
  ]
  expect(familyOf(processes, [10])).toEqual(new Set([10, 20, 30]))
  expect(familyOf(processes, [20, 40])).toEqual(new Set([20, 30, 40]))
  expect(familyOf(processes, [99])).toEqual(new Set([99]))
})
