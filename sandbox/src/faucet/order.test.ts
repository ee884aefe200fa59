import { describe, expect, test } from 'vitest'
import { readOrder } from './order.ts'

const EVM_ADDRESS = '0x3333333333333333333333333333333333333333'
const SOLANA_ADDRESS = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'

describe('an order without a network', () => {
  test.each([
    ['evm', EVM_ADDRESS],
    ['solana', SOLANA_ADDRESS],
  ])('is for the chain that its address is of: %s', (chain, address) => {
    expect(readOrder({ address }, [])).toMatchObject({ chain, address })
  })

  test('is refused with what an address looks like on either chain', () => {
    for (const address of ['0x33', undefined, 7]) {
      const body = address === undefined ? {} : { address }
      expect(readOrder(body, [])).toMatchObject({
        code: 'INVALID_PARAMETERS',
        message: expect.stringMatching(/0x and 40 hex digits.*32 bytes in base58/),
      })
    }
  })
})

test('a network that is named counts, whatever the address looks like', () => {
  const evm = readOrder({ address: SOLANA_ADDRESS, network: 'eip155:84532' }, [])
  expect(evm).toMatchObject({ code: 'INVALID_PARAMETERS' })
  const network = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
  const solana = readOrder({ address: EVM_ADDRESS, network }, [])
  expect(solana).toMatchObject({ code: 'INVALID_PARAMETERS' })
})
