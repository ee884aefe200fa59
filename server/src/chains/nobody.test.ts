import { expect, test } from 'vitest'
import {
  ZERO_ADDRESS as EVM_ZERO,
  addressFromBytes as evmAddress,
  requireAddress,
} from './evm/account.ts'
import { testNetwork, USDC } from './evm/test-network.ts'
import { isNobody } from './nobody.ts'
import { ZERO_ADDRESS, addressFromBytes } from './solana/account.ts'

test('nobody spends what a token or the address of all zeros receives, of either family; a single bit is somebody', () => {
  const config = testNetwork([])
  for (const nobody of [EVM_ZERO, ZERO_ADDRESS, requireAddress(USDC.asset)]) {
    expect(isNobody({ config }, nobody), nobody).toBe(true)
  }
  for (const at of [0, 10, 19]) {
    expect(isNobody({ config }, evmAddress(new Uint8Array(20).fill(1, at, at + 1)))).toBe(false)
  }
  for (const at of [0, 15, 31]) {
    expect(isNobody({ config }, addressFromBytes(new Uint8Array(32).fill(1, at, at + 1)))).toBe(
      false,
    )
  }
})
