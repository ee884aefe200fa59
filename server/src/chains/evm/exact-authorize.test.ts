import { baseUnits } from '@florin/wire/amount.ts'
import { expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { requireAddress } from './account.ts'
import { connectEvm } from './connect.ts'
import { testNetwork, USDC } from './test-network.ts'

const address = (digit: string) => requireAddress(`0x${digit.repeat(40)}`)

/** Whether the wallet would sign what a seller asks for with this `extra`; nothing here asks a node. */
async function judged(extra: Readonly<Record<string, unknown>>) {
  const config = testNetwork(['http://127.0.0.1:1'])
  const chain = connectEvm({ config, log: openLog('silent'), clock: systemClock, callSeconds: 1 })
  const outcome = await chain.exact?.authorize?.({
    ...{ asset: USDC, payer: address('1'), payTo: address('2'), amount: baseUnits(9n) },
    ...{ scheme: 'exact', extra, validBeforeSeconds: 2n ** 33n, salt: new Uint8Array(32) },
    takesPermits: false,
  })
  return outcome?.ok === false ? outcome.reason : outcome?.ok
}

test('what a seller says by null of a token it leaves out', async () => {
  expect(await judged({ name: null, version: null, assetTransferMethod: null })).toBe(true)
  expect(await judged({ name: 'Other', version: null })).toBe('domain')
  expect(await judged({ assetTransferMethod: 'erc7710' })).toBe('method')
})
