import { describe, expect, test } from 'vitest'
import { openTraffic } from './traffic.ts'

describe('traffic', () => {
  test('a change waits for callers inside, and new callers wait for the change', async () => {
    const traffic = openTraffic()
    const seen: string[] = []
    const first = Promise.withResolvers<void>()
    const caller = traffic.pass(async () => {
      seen.push('caller in')
      await first.promise
      seen.push('caller out')
    })
    const change = traffic.change(async () => {
      seen.push('change')
    })
    await Promise.resolve()
    const late = traffic.pass(async () => {
      seen.push('late')
    })
    first.resolve()
    await Promise.all([caller, change, late])
    expect(seen).toEqual(['caller in', 'caller out', 'change', 'late'])
  })

  test('a caller that never leaves does not stop the chain', async () => {
    const traffic = openTraffic()
    const stuck = Promise.withResolvers<void>()
    const caller = traffic.pass(async () => await stuck.promise)
    expect(await traffic.change(async () => 'changed')).toBe('changed')
    expect(await traffic.pass(async () => 'read')).toBe('read')
    stuck.resolve()
    await caller
  })

  test('changes run one by one, and a failed one does not stop the next', async () => {
    const traffic = openTraffic()
    let running = 0
    const change = async (): Promise<number> =>
      await traffic.change(async () => {
        running += 1
        const seen = running
        await Promise.resolve()
        running -= 1
        return seen
      })
    const failed = traffic.change(async () => await Promise.reject(new Error('no')))
    const others = await Promise.all([change(), change(), failed.catch(() => 0)])
    expect(others).toEqual([1, 1, 0])
  })
})
