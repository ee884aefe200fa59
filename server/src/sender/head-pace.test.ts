import { describe, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { gatherMilliseconds, openHeadPace } from './head-pace.ts'

function paced(blockTimeMilliseconds: number, gather?: number) {
  let now = 1_790_000_000_000
  const clock = { ...systemClock, nowMilliseconds: () => now }
  const pace = openHeadPace(clock, blockTimeMilliseconds, gather)
  const looks = (count: number) => {
    for (let look = 0; look < count; look += 1) pace.looked(true)
  }
  return {
    ...pace,
    looks,
    pass: (milliseconds: number) => {
      now += milliseconds
    },
  }
}

describe('looks at a head', () => {
  test('rest until a block is due, come often for a while, and then evenly', () => {
    const pace = paced(800)
    pace.looked(false)
    expect(pace.pause(0)).toBe(700)
    pace.looked(true)
    expect(pace.pause(0)).toBe(100)
    pace.looks(3)
    expect(pace.pause(0)).toBe(100)
    pace.looked(true)
    expect(pace.pause(0)).toBe(400)
    pace.looks(56)
    expect(pace.pause(0)).toBe(800)
  })

  test('of a chain that stands still for long come a few times a second at most, until something is sent', () => {
    const pace = paced(50)
    pace.looked(false)
    pace.pass(10_000)
    pace.looks(200)
    expect(pace.pause(0)).toBe(50)
    pace.looks(1)
    expect(pace.pause(0)).toBe(200)
    expect(pace.expect()).toBe(true)
    pace.looks(1)
    expect(pace.pause(0)).toBe(6.25)
    const slow = paced(2_000)
    slow.looks(300)
    expect(slow.pause(0)).toBe(2_000)
  })

  test('stay seldom behind the empty block that a chain makes while it stands still, and no longer', () => {
    const pace = paced(50)
    pace.looked(false)
    pace.pass(10_000)
    pace.looks(201)
    pace.looked(false, true)
    expect(pace.pause(0)).toBe(200)
    // What is sent then has its block looked for as soon as before it.
    expect(pace.expect()).toBe(true)
    pace.looks(1)
    expect(pace.pause(0)).toBe(6.25)
    pace.looks(200)
    pace.looked(false, true)
    pace.looks(1)
    expect(pace.pause(0)).toBe(200)
    // With something in it, or soon followed by the next, it is one of a chain that goes on.
    pace.looked(false, false)
    expect(pace.pause(0)).toBe(43.75)
    pace.looks(201)
    pace.looked(false, true)
    pace.looked(false, true)
    expect(pace.pause(0)).toBe(43.75)
    const slow = paced(2_000)
    slow.looks(201)
    slow.looked(false, true)
    slow.looked(false, true)
    expect(slow.pause(0)).toBe(1_750)
  })

  test('wait for several quick blocks, whatever is sent, and for none of slow ones', () => {
    const quick = paced(200, 800)
    quick.looked(false)
    expect(quick.pause(0)).toBe(800)
    expect(quick.pause(150)).toBe(650)
    quick.pass(700)
    expect(quick.expect()).toBe(false)
    // One that stands still may make a block for what was sent.
    quick.looks(30)
    expect(quick.expect()).toBe(true)
    quick.looked(false)
    expect(quick.pause(0)).toBe(800)
    const slow = paced(2_000, 800)
    slow.looked(false)
    expect(slow.pause(0)).toBe(1_750)
  })

  test('gather blocks of a real EVM chain, and neither those of a sandbox nor of Solana', () => {
    expect(gatherMilliseconds({ family: 'evm', sandbox: false })).toBe(800)
    expect(gatherMilliseconds({ family: 'evm', sandbox: true })).toBe(0)
    expect(gatherMilliseconds({ family: 'solana', sandbox: false })).toBe(0)
  })

  test('come often again when something was sent and the block is overdue, and not before', () => {
    const pace = paced(800)
    pace.looked(false)
    pace.pass(799)
    pace.looks(10)
    expect(pace.expect()).toBe(false)
    pace.looked(true)
    expect(pace.pause(0)).toBe(400)
    pace.pass(1)
    expect(pace.expect()).toBe(true)
    pace.looked(true)
    expect(pace.pause(0)).toBe(100)
    pace.looks(4)
    expect(pace.pause(0)).toBe(400)
  })

  test('come often for what is sent some times for each head, also behind a clock that was set back', () => {
    const pace = paced(800)
    const granted = () => Array.from({ length: 100 }, pace.expect).filter(Boolean).length
    pace.looked(false)
    pace.pass(800)
    expect(granted()).toBe(8)
    pace.looks(1)
    expect(granted()).toBe(0)
    pace.looked(false)
    expect(granted()).toBe(0)
    pace.pass(-1)
    expect(granted()).toBe(8)
  })

  test.each([
    { blocks: 50, due: 6.25, even: 25 },
    { blocks: 10, due: 5, even: 20 },
    { blocks: 60_000, due: 2_000, even: 2_000 },
  ])('have bounds where blocks take $blocks ms', ({ blocks, due, even }) => {
    const pace = paced(blocks)
    expect([pace.dueMilliseconds, pace.evenMilliseconds]).toEqual([due, even])
    pace.looked(true)
    // A node that takes nearly as long, or longer, is not asked without a break.
    expect(pace.pause(due - 1)).toBe(Math.min(due, 20))
    expect(pace.pause(due)).toBe(due)
  })
})
