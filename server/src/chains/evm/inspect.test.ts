import { parseTransaction, serializeTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { inspectBytes } from './inspect.ts'

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const fields = {
  ...{ chainId: 84_532, nonce: 3, to: account.address, value: 5n, gas: 21_000n },
  ...{ maxFeePerGas: 9n, maxPriorityFeePerGas: 1n },
  type: 'eip1559',
} as const

const inspect = (hex: string) =>
  inspectBytes({ chainId: 84_532n, tokens: new Set() }, Buffer.from(hex.slice(2), 'hex'))

test('the second spelling of a signature, another chain and another type are refused', async () => {
  const raw = await account.signTransaction(fields)
  expect(inspect(raw)).toMatchObject({ ok: true, sender: account.address })
  const signed = parseTransaction(raw)
  const twin = serializeTransaction(fields, {
    r: signed.r ?? '0x0',
    s: `0x${(ORDER - BigInt(signed.s ?? '0x0')).toString(16).padStart(64, '0')}`,
    yParity: signed.yParity === 0 ? 1 : 0,
  })
  expect(inspect(twin)).toEqual({ ok: false, reason: 'its signature is not valid' })
  expect(inspect(await account.signTransaction({ ...fields, chainId: 1 }))).toEqual({
    ok: false,
    reason: 'it is for chain id 1, not 84532',
  })
  const legacy = { type: 'legacy', chainId: 84_532, gasPrice: 1n } as const
  expect(inspect(await account.signTransaction(legacy))).toMatchObject({ ok: false })
})
