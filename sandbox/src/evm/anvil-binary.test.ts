import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findAnvil } from './anvil-binary.ts'

test('the binary that npm installed is found', () => {
  expect(existsSync(findAnvil())).toBe(true)
})

test('a platform without one is named in one plain sentence', () => {
  expect(() => findAnvil('aix-ppc64')).toThrow(
    'the EVM sandbox needs the anvil binary, and none is installed for aix-ppc64.',
  )
})
