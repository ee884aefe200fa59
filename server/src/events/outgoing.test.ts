import { expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import type { AccountId, EventId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { frameEvent } from './framed-event.ts'
import { Outgoing } from './outgoing.ts'

const accountId: AccountId = 'acct_1111111111111111111111' as AccountId
const BYTES = 10_000

/** A connection that hands on what it is told to, and a clock of the test's own. */
function slowConnection() {
  let waiting = 0
  let time = 0
  const sent: number[] = []
  const connection = {
    get waitingBytes() {
      return waiting
    },
  }
  const outgoing = new Outgoing({ ...systemClock, nowMilliseconds: () => time }, connection, {
    send: (_, { event }) => {
      sent.push(event.sequence)
      waiting += BYTES
      return true
    },
    bytesOf: () => BYTES,
  })
  let sequence = 0
  return {
    sent,
    outgoing,
    give: (count: number) => {
      for (let index = 0; index < count; index += 1) {
        sequence += 1
        const id = `evt_${sequence}` as EventId
        const facts = { accountId, sequence, id, resourceId: '', dataText: '{}' }
        outgoing.take([
          frameEvent({ ...facts, type: 'payment', channel: 'payments', createdAtMilliseconds: 1 }),
        ])
      }
    },
    /** Something that is no event of the account goes out on the same connection. */
    sendBeside: () => {
      waiting += BYTES
      outgoing.sentBeside(BYTES)
    },
    /** So much has gone out. */
    drain: (events: number) => {
      waiting -= events * BYTES
      outgoing.pump()
    },
    pass: (seconds: number) => {
      time += seconds * 1000
      return outgoing.isTooFarBehind()
    },
  }
}

test('what waits for more than 10 seconds is too far behind, what waits for 9 is not', () => {
  const { give, drain, pass, sent } = slowConnection()
  give(20)
  // What is ahead of it is bounded, however much there is.
  expect(sent.length).toBe(Math.ceil(limits.socketAheadBytes / BYTES))
  expect([pass(0), pass(9)]).toEqual([false, false])
  drain(7)
  expect(sent.length).toBe(14)
  expect(pass(2)).toBe(true)
})

test('time counts from the oldest that waits, and anew once everything of that moment is out', () => {
  const { give, drain, pass, sent } = slowConnection()
  give(5)
  expect(pass(0)).toBe(false)
  give(3)
  drain(5)
  expect(pass(9)).toBe(false)
  expect(pass(9)).toBe(false)
  drain(3)
  expect(pass(9)).toBe(false)
  expect(pass(100)).toBe(false)
  expect(sent).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

test('what waits when the clock is set back is too far behind 10 seconds from there', () => {
  const { give, pass } = slowConnection()
  give(5)
  expect([pass(0), pass(5), pass(-3_600), pass(9), pass(2)]).toEqual([
    ...[false, false, false, false],
    true,
  ])
})

test('more than a megabyte is too far at once, and what was not sent is forgotten', () => {
  const { give, pass, outgoing, sent, drain } = slowConnection()
  give(Math.floor(limits.socketBehindBytesMax / BYTES))
  expect(pass(0)).toBe(false)
  give(1)
  expect(pass(0)).toBe(true)
  expect(outgoing.lastId()).toBe(`evt_${sent.length}`)
  outgoing.stop()
  const before = sent.length
  drain(before)
  give(3)
  expect(sent.length).toBe(before)
})

test('a reader who takes whatever else goes out beside is not too slow, and one who takes nothing of it is', () => {
  const { sendBeside, drain, pass } = slowConnection()
  sendBeside()
  for (let second = 0; second < 30; second += 1) {
    // There is always something on its way.
    sendBeside()
    drain(1)
    expect(pass(1)).toBe(false)
  }
  expect(pass(11)).toBe(true)
})
