import { expect, test } from 'vitest'
import type { X402SettleAnswer } from '../contract/x402-settle.ts'
import { limits } from '../limits.ts'
import { deliveriesInMemory } from './deliveries.ts'
import type { PaywallOptions } from './price.ts'
import {
  begin,
  given,
  GOODS,
  openClock,
  openScene,
  outcomeOf,
  proofOf,
  said,
  SETTLED,
  turn,
} from './test-upto-shop.ts'

const MiB = 1024 * 1024
const LARGEST = { ...GOODS, length: limits.paywallHeldBytesMax }
const KEPT_MAX = limits.paywallKeptBytesMax / limits.paywallHeldBytesMax
const TOO_LATE = expect.stringMatching(/ask again/)
const REPEATED = said('duplicate_settlement')
const named = (paymentId: string): X402SettleAnswer => ({ ...SETTLED, extra: { paymentId } })

/** A shop before a service whose answers the test gives, one settlement after the other. */
function openSlowScene(options: Partial<PaywallOptions> = {}) {
  const settling: ((answer: X402SettleAnswer) => void)[] = []
  const clock = openClock()
  const scene = openScene(() => new Promise((resolve) => settling.push(resolve)), {
    ...{ ...options, clock },
  })
  /** A buyer whose answer is ready, and who is told to come again. */
  async function leaveOpen(nonce: string, answer = GOODS) {
    const finishing = (await begin(scene.ask(proofOf(nonce)))).finish(answer)
    await turn()
    clock.pass()
    expect(outcomeOf(await finishing)).toBe(503)
  }
  return { ...scene, clock, settling, leaveOpen }
}

test('of a payment whose answer found no room the seller hears that it was taken and for nothing', async () => {
  const { ask, told, settling, leaveOpen } = openSlowScene()
  const nonces = Array.from({ length: KEPT_MAX + 1 }, (_, at) => `${at}`)
  for (const nonce of nonces) await leaveOpen(nonce, LARGEST)
  settling.forEach((settle, at) => settle(named(`pay_${at}`)))
  await turn()
  expect(told.filter((each) => each === 'paid 100000')).toHaveLength(nonces.length)
  expect(told.filter((each) => each === 'the answer was not kept')).toHaveLength(1)
  expect(told.filter((each) => each.includes('ask again'))).toHaveLength(KEPT_MAX)
  expect(outcomeOf(await ask(proofOf('0')))).toBe(409)
  for (const nonce of nonces.slice(1)) expect(outcomeOf(await ask(proofOf(nonce)))).toBe('kept')
  expect(told).toHaveLength(2 * nonces.length)
})

test('of a payment that was not taken, and whose answer found no room, the handler runs again', async () => {
  const { ask } = openScene(async () => said('network_unavailable'))
  for (let nonce = 0; nonce <= KEPT_MAX; nonce += 1) {
    await (await begin(ask(proofOf(`${nonce}`)))).finish(LARGEST)
  }
  ;(await begin(ask(proofOf('0')))).abandon()
})

test('answers that are going out push none out that waits, and one that is paid for goes first', async () => {
  const answers: X402SettleAnswer[] = []
  const { ask, told } = openScene(async () => answers.shift() ?? SETTLED)
  // It waits, and is not paid for.
  answers.push(said('settlement_pending'))
  await (await begin(ask(proofOf('0')))).finish({ ...GOODS, length: MiB })
  const going = []
  for (let nonce = 1; nonce <= KEPT_MAX + 1; nonce += 1) {
    answers.push(named(`pay_${nonce}`))
    const admission = (await begin(ask(proofOf(`${nonce}`)))).finish(LARGEST)
    going.push(await given(admission))
  }
  for (const each of going) await each.admitted.ended('the connection broke')
  answers.push(named('pay_0'))
  await (await given(ask(proofOf('0')))).admitted.ended()
  expect(outcomeOf(await ask(proofOf('1')))).toBe(409)
  expect(outcomeOf(await ask(proofOf(`${KEPT_MAX + 1}`)))).toBe('kept')
  expect(told.filter((each) => each === 'the connection broke')).toHaveLength(KEPT_MAX + 1)
})

test('of two servers that both wait for one payment one gives its answer out', async () => {
  let isOpen = true
  const success = [SETTLED]
  const settle = async () =>
    isOpen ? said('settlement_pending') : (success.pop() ?? said('duplicate_settlement'))
  // Also where they do not share what was delivered.
  for (const shared of [{}, { deliveries: deliveriesInMemory() }]) {
    const servers = [openScene(settle, shared), openScene(settle, shared)] as const
    const visits = [await begin(servers[0].ask()), await begin(servers[1].ask())]
    isOpen = true
    success.splice(0, 1, SETTLED)
    for (const visit of visits) expect(outcomeOf(await visit.finish(GOODS))).toBe(503)
    isOpen = false
    expect(outcomeOf(await servers[0].ask())).toBe('kept')
    expect(outcomeOf(await servers[1].ask())).toBe(409)
    expect([servers[0].told, servers[1].told]).toEqual([['paid 100000'], []])
  }
})

test('where answers of the service are lost the deliveries decide which of two servers gives its answer out', async () => {
  const deliveries = deliveriesInMemory()
  let tries = 0
  const scene = () =>
    openScene(
      async (_, options) => {
        tries += 1
        options?.onLost?.()
        return tries <= 2 ? said('network_unavailable') : REPEATED
      },
      { deliveries },
    )
  const servers = [scene(), scene()] as const
  const visits = [await begin(servers[0].ask()), await begin(servers[1].ask())]
  for (const visit of visits) expect(outcomeOf(await visit.finish(GOODS))).toBe(503)
  const asked = await Promise.all([servers[0].ask(), servers[1].ask()])
  expect(asked.map(outcomeOf).toSorted()).toEqual([409, 'kept'])
  const told = servers.flatMap((each) => each.told).filter((each) => each === 'paid 100000')
  expect(told).toHaveLength(1)
})

test('an answer that was given out four times and reached nobody is not given out again', async () => {
  const { ask, told } = openScene(async () => SETTLED)
  await (await given((await begin(ask())).finish(GOODS))).admitted.ended('broken')
  for (let time = 0; time < limits.paywallRedeliveriesMax; time += 1) {
    await (await given(ask())).admitted.ended('broken')
  }
  expect(outcomeOf(await ask())).toBe(409)
  expect(told).toEqual(['paid 100000', ...Array.from({ length: 4 }, () => 'broken')])
})

test('whoever asks again while the settlement runs waits for it, and nothing else is told or taken', async () => {
  const { ask, told, amounts, settling, leaveOpen } = openSlowScene()
  await leaveOpen('7')
  const again = ask(proofOf('7'))
  await turn()
  settling[0]?.(SETTLED)
  const { admitted } = await given(again)
  await admitted.ended()
  await turn()
  expect([amounts, told]).toEqual([['100000'], ['paid 100000']])
  expect(outcomeOf(await ask(proofOf('7')))).toBe(409)
})

test('whoever waits too long twice finds the answer kept, and the seller hears once of each', async () => {
  const { begin: beginning, end } = deliveriesInMemory()
  const recorded = Promise.withResolvers<void>()
  const deliveries = {
    begin: (id: string, isFirst: boolean) => beginning(id, isFirst),
    end: (id: string, wasDelivered: boolean) => recorded.promise.then(() => end(id, wasDelivered)),
  }
  const { ask, clock, told, amounts, settling, leaveOpen } = openSlowScene({ deliveries })
  await leaveOpen('7')
  const again = ask(proofOf('7'))
  await turn()
  clock.pass()
  expect(outcomeOf(await again)).toBe(503)
  settling[0]?.(SETTLED)
  await turn()
  // What has come is being recorded, and whoever asks now waits for that.
  const kept = ask(proofOf('7'))
  await turn()
  recorded.resolve()
  await (await given(kept)).admitted.ended()
  expect([amounts, told]).toEqual([['100000'], ['paid 100000', TOO_LATE]])
})

test('a success whose answer was lost is told of, and its answer goes out', async () => {
  const { ask, told } = openScene(async (_, options) => {
    options?.onLost?.()
    return REPEATED
  })
  const { admitted } = await given((await begin(ask())).finish(GOODS))
  await admitted.ended()
  expect(told).toEqual(['paid 100000'])
  expect(outcomeOf(await ask())).toBe(409)
})

test('deliveries that cannot be asked keep the answer, and the seller hears of the payment', async () => {
  let isDown = true
  const { begin: beginning, end } = deliveriesInMemory()
  const deliveries = {
    begin: (id: string, isFirst: boolean) => {
      if (isDown) throw new Error('no database')
      return beginning(id, isFirst)
    },
    end,
  }
  const { ask, told, amounts } = openScene(async () => SETTLED, { deliveries })
  expect(outcomeOf(await (await begin(ask())).finish(GOODS))).toBe(503)
  const unrecorded = 'the delivery could not be recorded'
  expect(told.toSorted()).toEqual(['deliveries_failed', 'paid 100000', unrecorded].toSorted())
  isDown = false
  await (await given(ask())).admitted.ended()
  expect(outcomeOf(await ask())).toBe(409)
  expect([amounts.length, told.length]).toEqual([1, 3])
})
