import { expect, test } from 'vitest'
import { readArguments } from './arguments.ts'

test('reads what the parent gives', () => {
  expect(readArguments(['--directory', 'd'])).toEqual({
    directory: 'd',
    evmPort: 0,
    solanaPort: 0,
    faults: false,
    market: false,
    currencyToken: false,
    parentPipe: false,
  })
  const words = ['--directory', 'd', '--evm-port', '8545', '--faults', '--parent-pipe']
  expect(readArguments(words)).toMatchObject({ evmPort: 8545, faults: true, parentPipe: true })
  expect(readArguments([...words, '--market']).market).toBe(true)
  expect(readArguments([...words, '--currency-token']).currencyToken).toBe(true)
})

test.each([
  [[], '--directory is missing'],
  [['--directory', 'd', '--evm-port', '70000'], '--evm-port is a number'],
  [['--directory', 'd', '--evm-port', '1.5'], '--evm-port is a number'],
  [['--directory', 'd', '--solana-port', '65535'], '--solana-port is a number'],
  [['--directory', 'd', '--port', '1'], "Unknown option '--port'"],
  [['--directory', 'd', 'more'], 'Unexpected argument'],
])('%j is refused: %s', (words, text) => {
  expect(() => readArguments(words)).toThrow(text)
})
