import { encodeFunctionData, erc20Abi } from 'viem'
import { expect, test } from 'vitest'
import { addressFromBytes } from './account.ts'
import { summaryOf } from './call-summary.ts'
import { USDC } from './test-network.ts'

const FROM = addressFromBytes(new Uint8Array(20).fill(1))
const TO = addressFromBytes(new Uint8Array(20).fill(2))
const TOKEN = addressFromBytes(Buffer.from(USDC.asset.slice(2), 'hex'))
const TAIL = `9fde4014${'c5'.repeat(32)}`

const of = (hex: string, tokens = new Set([USDC.asset])) =>
  summaryOf({ from: FROM, to: TOKEN, value: 0n, data: Buffer.from(hex, 'hex'), extras: [] }, tokens)

const args = [`0x${TO.slice(2)}`, 7n] as const
const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }).slice(2)

test('a call is a transfer with its arguments and commitments, and with nothing else', () => {
  const moved = [{ asset: USDC.asset, from: FROM, to: TO, amount: 7n }]
  expect(of(transfer + TAIL)).toMatchObject({ transfers: moved, others: [] })
  for (const data of [
    transfer + '00'.repeat(32) + TAIL,
    transfer + '00' + TAIL,
    transfer.slice(0, -64),
    // An address with dirt before it, which some tokens read and some refuse.
    `a9059cbb${'01'.repeat(12)}${transfer.slice(32)}`,
    transfer + TAIL + '00',
  ]) {
    const { transfers, others } = of(data)
    expect([transfers, others.length]).toEqual([[], 1])
  }
})

test('a contract that is not listed makes no transfer, whatever its call looks like', () => {
  expect(of(transfer, new Set())).toMatchObject({ transfers: [] })
  expect(of(transfer, new Set()).others).toHaveLength(1)
})
