import type { AccountEvent } from '@florin/sdk'
import { expect, test } from 'vitest'
import { eventLine } from './event-line.ts'

const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const event: AccountEvent = {
  id: 'evt_9kLmN2bVcXzQwErTyUpA5d',
  type: 'payment',
  channel: 'payments',
  sequence: 41,
  data: { status: 'settled', network: 'eip155:84532', asset: USDC, amount: '0.01' },
  timestamp: Date.UTC(2026, 8, 21, 14),
}
const names = (network: string, asset: string) =>
  network === 'eip155:84532' && asset === USDC ? 'USDC' : asset

test('an event names the asset by its symbol, as the history does', () => {
  expect(eventLine(event, names)).toMatch(/ {2}payment {2}settled {2}0\.01 {2}USDC {2}evt_/)
})

test('an asset that nobody knows stays its address', () => {
  const data = { ...event.data, network: 'eip155:1' }
  expect(eventLine({ ...event, data }, names)).toContain(`0.01  ${USDC}  evt_`)
})
