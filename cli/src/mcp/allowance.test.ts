import { describe, expect, test } from 'vitest'
import { readArguments } from '../read-arguments.ts'
import { UsageError } from '../usage-error.ts'
import { amountProblem, readAllowance } from './allowance.ts'

const read = (...args: readonly string[]) =>
  readAllowance(readArguments(args, { flags: ['max', 'asset', 'wallets'], switches: ['send'] }))

describe('what an agent may do', () => {
  test('is little, where nobody says anything', () => {
    expect(read()).toEqual({
      asset: 'USDC',
      maxAmount: '0.10',
      wallets: undefined,
      maySend: false,
    })
  })

  test('of another asset is nothing that nobody has said', () => {
    expect(() => read('--asset', 'WETH')).toThrow(UsageError)
    expect(read('--asset', 'WETH', '--max', '0.01')).toMatchObject({ asset: 'WETH' })
  })

  test.each([
    [['--max', 'a lot']],
    [['--max', '1e3']],
    [['--max', '.5']],
    [['--wallets', '']],
    [['--wallets', '0x1,']],
  ])('is not read from %j', (args) => {
    expect(() => read(...args)).toThrow(UsageError)
  })

  test.each(['0.05', '0.050', '0.0499999999999999999999999999999999999999', '0', '0.01'])(
    'a call may pay %s within 0.05',
    (amount) => {
      expect(amountProblem(amount, read('--max', '0.05'))).toBeUndefined()
    },
  )

  test.each([
    ['0.0500000000000000000000000000000000000001', 'at most'],
    ['5', 'at most'],
    ['-1', 'no amount'],
    ['1e-9', 'no amount'],
    ['0,01', 'no amount'],
    ['', 'no amount'],
  ])('a call may not pay %s within 0.05', (amount, why) => {
    expect(amountProblem(amount, read('--max', '0.05'))).toContain(why)
  })
})
