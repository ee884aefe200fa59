import { expect, test } from 'vitest'
import { socketDirectory } from './socket.ts'

test('a cluster whose path is too long for a socket has none', () => {
  const longest = `/${'a'.repeat(82)}`
  expect(socketDirectory(longest)).toBe(longest)
  expect(socketDirectory(`${longest}a`)).toBeUndefined()
  expect(socketDirectory(`/${'\u00fc'.repeat(42)}`)).toBeUndefined()
})
