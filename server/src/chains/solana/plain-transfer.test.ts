import { baseUnits } from '@florin/wire/amount.ts'
import { describe, expect, test } from 'vitest'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { addressBytes } from './account.ts'
import { NATIVE_MINT, TOKEN_2022_PROGRAM } from './programs.ts'
import {
  assertion,
  limit,
  memo,
  messageOf,
  newKey,
  paymentScene,
  PRICE,
  price,
  readAlone,
  sealed,
  transfer,
} from './test-payment.ts'
import type { Step } from './test-payment.ts'
import { USDC } from './test-network.ts'

const { payer, seller, feePayer, blockhash, demand, paying } = paymentScene()
const first = [limit(20_000), price(1n)]
const stranger = newKey().address

function shapeOf(
  steps: readonly Step[],
  change = (message: Buffer): Uint8Array => message,
): string {
  const message = change(Buffer.from(messageOf(feePayer.address, steps, { blockhash })))
  return shapeOfPayload({
    transaction: Buffer.from(sealed(message, [payer])).toString('base64'),
  })
}

function shapeOfPayload(payload: Fields, wanted = demand()): string {
  const read = readAlone(payload, wanted)
  if (!read.ok) throw new Error(read.reason)
  return read.authorization.plain?.shape ?? 'none'
}

/** One more account that no instruction names, at the end. */
function withStranger(message: Buffer): Uint8Array {
  const count = message[4] ?? 0
  const end = 5 + 32 * count
  const head = Buffer.from(message.subarray(0, end))
  head[3] = (head[3] ?? 0) + 1
  head[4] = count + 1
  return Buffer.concat([head, addressBytes(stranger), message.subarray(end)])
}

/** The same transfer, with the place of one account changed. */
function placing(place: number, writes: boolean): Step {
  const { accounts, ...moving } = paying()
  return {
    ...moving,
    accounts: accounts.map((meta, index) => (index === place ? { ...meta, writes } : meta)),
  }
}

describe('a transfer of which accounts alone tell', () => {
  test('is what plain clients make, by its mint and the length of its memo', () => {
    expect(shapeOf([...first, paying()])).toBe(`payment ${USDC.asset} bare`)
    expect(shapeOf([...first, paying(), memo('')])).toBe(`payment ${USDC.asset} 0`)
    expect(shapeOf([...first, paying(), memo('a1b2')])).toBe(`payment ${USDC.asset} 4`)
    expect(shapeOf([...first, paying(), memo('order-7: tea, 2 cups')])).toMatch(/ 20$/)
  })

  test.each<[string, () => string]>([
    ['two memos', () => shapeOf([...first, paying(), memo('a'), memo('b')])],
    ['an assertion', () => shapeOf([...first, paying(), assertion()])],
    [
      'a memo that somebody signs',
      () =>
        shapeOf([
          ...first,
          paying(),
          { ...memo('a'), accounts: [{ address: payer.address, signs: true }] },
        ]),
    ],
    ['a memo with quotes', () => shapeOf([...first, paying(), memo('"a"')])],
    ['a memo with a backslash', () => shapeOf([...first, paying(), memo('a\\')])],
    ['a memo with a line break', () => shapeOf([...first, paying(), memo('a\n')])],
    ['a memo beyond ASCII', () => shapeOf([...first, paying(), memo('é')])],
    ['a memo that is no text', () => shapeOf([...first, paying(), memo(Uint8Array.of(0xff))])],
    ['an account that nothing names', () => shapeOf([...first, paying()], withStranger)],
    ['a source only to be read', () => shapeOf([...first, placing(0, false)])],
    ['a destination only to be read', () => shapeOf([...first, placing(2, false)])],
    ['a mint that may be written', () => shapeOf([...first, placing(1, true)])],
    ['Token-2022', () => shapeOf([...first, paying({ program: TOKEN_2022_PROGRAM })])],
    [
      'wrapped lamports',
      () => {
        const mint = NATIVE_MINT
        const moving = transfer({ from: payer.address, to: seller.address, mint })
        const message = messageOf(feePayer.address, [...first, moving], { blockhash })
        const asset = { ...USDC, asset: NATIVE_MINT }
        const payload = { transaction: Buffer.from(sealed(message, [payer])).toString('base64') }
        return shapeOfPayload(payload, demand({ asset, amount: baseUnits(PRICE) }))
      },
    ],
  ])('is none with %s', (_, shape) => {
    expect(shape()).toBe('none')
  })
})
