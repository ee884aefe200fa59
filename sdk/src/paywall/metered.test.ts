import { expect, test } from 'vitest'
import type { X402SettleAnswer } from '../contract/x402-settle.ts'
import { FlorinError } from '../florin-error.ts'
import { encodeHeader } from './header-json.ts'
import { carryMeter, setAmount } from './set-amount.ts'
import {
  begin,
  clockOf,
  GOODS,
  MOST,
  openClock,
  openScene,
  outcomeOf,
  proofOf,
  said,
  SETTLED,
  turn,
} from './test-upto-shop.ts'

test('the most is asked for, of version 2 alone, and buyers may sign their approval beside', async () => {
  const { ask } = openScene(async () => SETTLED)
  const admission = await ask({})
  if (admission.kind !== 'said') throw new Error('let in for nothing')
  const required: unknown = JSON.parse(atob(admission.said.headers['PAYMENT-REQUIRED'] ?? ''))
  const extra = { name: 'USDC', version: '2', facilitatorAddress: MOST.payTo }
  expect(required).toMatchObject({ extensions: { eip2612GasSponsoring: { info: {} } } })
  expect(required).toHaveProperty('accepts', [{ ...MOST, maxTimeoutSeconds: 60, extra }])
  expect(admission.said.body).toMatchObject({ x402Version: 1, accepts: [] })
})

test('what the handler says is taken, the last word counts, and without any it is the most', async () => {
  const { ask, amounts, looked, told } = openScene(async (amount) => ({
    ...{ ...SETTLED, amount },
    extra: { paymentId: `pay_${amount}` },
  }))
  const first = await begin(ask())
  first.setAmount('0.05')
  first.setAmount(0.03)
  const given = await first.finish(GOODS)
  if (given.kind !== 'kept') throw new Error('nothing was given')
  expect(JSON.parse(atob(given.admitted.headers['PAYMENT-RESPONSE'] ?? ''))).toMatchObject({
    ...{ success: true, amount: '30000' },
  })
  await (await begin(ask(proofOf('8')))).finish(GOODS)
  expect(amounts).toEqual(['30000', '100000'])
  expect(told).toEqual(['paid 30000', 'paid 100000'])
  expect(looked).toMatchObject([{ paymentRequirements: MOST }, { paymentRequirements: MOST }])
})

test.each(['0.100001', '1', '-0.01', '0.0000001', 'much', Number.NaN])(
  'a handler cannot take %s',
  async (amount) => {
    const { ask, amounts } = openScene(async () => SETTLED)
    const metered = await begin(ask())
    expect(() => metered.setAmount(amount)).toThrow(FlorinError)
    metered.abandon()
    expect(amounts).toEqual([])
  },
)

test('what a handler says after its answer counts no more, and it hears that', async () => {
  const { ask, amounts } = openScene(async () => SETTLED)
  const carrier = {}
  const metered = await begin(ask())
  carryMeter([carrier], (amount) => metered.setAmount(amount))
  expect(setAmount(carrier, '0.05')).toBe(true)
  const finishing = metered.finish(GOODS)
  expect(setAmount(carrier, '0.01')).toBe(false)
  await finishing
  expect(amounts).toEqual(['50000'])
})

test('a payment that would not settle runs no handler', async () => {
  const refusing = openScene(async () => SETTLED, {
    verdict: { isValid: false, invalidReason: 'permit2_allowance_required' },
  })
  expect(outcomeOf(await refusing.ask())).toBe(402)
  const used = openScene(async () => SETTLED, {
    verdict: { isValid: false, invalidReason: 'permit2_invalid_nonce' },
  })
  expect(outcomeOf(await used.ask())).toBe(409)
  const away = openScene(async () => SETTLED, {
    verdict: { isValid: false, invalidReason: 'network_unavailable' },
  })
  expect(outcomeOf(await away.ask())).toBe(503)
  expect([refusing.amounts, used.amounts, away.amounts]).toEqual([[], [], []])
  // Nothing of it is remembered: the same payment is looked at again.
  expect(outcomeOf(await away.ask())).toBe(503)
  const nothing = encodeHeader({ x402Version: 2, accepted: MOST, payload: {} })
  expect(outcomeOf(await away.ask({ 'payment-signature': nothing }))).toBe(402)
})

test('one authorization runs one handler at a time, however its owner and nonce are written', async () => {
  const { ask } = openScene(async () => SETTLED)
  const metered = await begin(ask(proofOf('7', `0x${'ab'.repeat(20)}`)))
  expect(outcomeOf(await ask(proofOf('007', `0x${'AB'.repeat(20)}`)))).toBe(503)
  metered.abandon()
  const again = await begin(ask(proofOf('007', `0x${'AB'.repeat(20)}`)))
  again.abandon()
})

test('a handler whose buyer is gone keeps its payment from running another, until it ends or for a bound', async () => {
  const { ask, amounts } = openScene(async () => SETTLED)
  const handler = Promise.withResolvers<void>()
  const metered = await begin(ask())
  metered.abandon(handler.promise)
  await turn()
  expect(outcomeOf(await ask())).toBe(503)
  handler.resolve()
  await turn()
  ;(await begin(ask())).abandon()
  expect(amounts).toEqual([])

  const clock = openClock()
  const endless = openScene(async () => SETTLED, { clock })
  ;(await begin(endless.ask())).abandon(new Promise(() => undefined))
  expect(outcomeOf(await endless.ask())).toBe(503)
  clock.pass()
  await turn()
  ;(await begin(endless.ask())).abandon()
})

test('an answer that was not paid for is dropped, and the seller hears of its work', async () => {
  const { ask, told } = openScene(async () => said('insufficient_funds'))
  expect(outcomeOf(await (await begin(ask())).finish(GOODS))).toBe(402)
  expect(told).toEqual(['insufficient_funds'])
  // Nothing was taken, so the payment may be shown again.
  ;(await begin(ask())).abandon()
})

test('an answer whose settlement is open is kept, and no handler runs for it again', async () => {
  const script = [said('settlement_pending'), said('network_unavailable')]
  const { ask, amounts, told } = openScene(async () => script.shift() ?? SETTLED)
  const metered = await begin(ask())
  metered.setAmount('0.02')
  expect(outcomeOf(await metered.finish(GOODS))).toBe(503)
  expect(outcomeOf(await ask(proofOf('7'), 'http://shop.example/dearer'))).toBe(409)
  expect(outcomeOf(await ask(proofOf('7'), undefined, 'POST'))).toBe(409)
  expect(outcomeOf(await ask())).toBe(503)
  const kept = await ask()
  expect(kept).toMatchObject({ kind: 'kept', answer: GOODS })
  expect(amounts).toEqual(['20000', '20000', '20000'])
  if (kept.kind === 'kept') await kept.admitted.ended()
  expect(outcomeOf(await ask())).toBe(409)
  expect([amounts.length, told]).toEqual([3, ['network_unavailable', 'paid 20000']])
})

test('an answer that was paid for and did not go out is given to the same payment, and not charged again', async () => {
  const { ask, amounts, told } = openScene(async () => SETTLED)
  const given = await (await begin(ask())).finish(GOODS)
  if (given.kind !== 'kept') throw new Error('nothing was given')
  await given.admitted.ended('the connection broke')
  const again = await ask()
  if (again.kind !== 'kept') throw new Error('nothing was given again')
  expect(again.answer).toEqual(GOODS)
  expect(outcomeOf(await ask())).toBe(503)
  await again.admitted.ended()
  expect(outcomeOf(await ask())).toBe(409)
  expect([amounts, told]).toEqual([['100000'], ['paid 100000', 'the connection broke']])
})

test('a proof that another server has settled gets nothing here', async () => {
  const { ask } = openScene(async () => said('duplicate_settlement'))
  expect(outcomeOf(await (await begin(ask())).finish(GOODS))).toBe(409)
  expect(outcomeOf(await ask())).toBe(409)
})

test('a settlement that comes after the buyer was told to ask again is kept for it', async () => {
  const late = Promise.withResolvers<X402SettleAnswer>()
  const { ask, amounts, told } = openScene(() => late.promise, { clock: clockOf(true) })
  expect(outcomeOf(await (await begin(ask())).finish(GOODS))).toBe(503)
  late.resolve(SETTLED)
  await new Promise((resolve) => setImmediate(resolve))
  expect(told).toEqual(['paid 100000', expect.stringMatching(/ask again/)])
  expect(outcomeOf(await ask())).toBe('kept')
  expect(amounts).toHaveLength(1)
})
