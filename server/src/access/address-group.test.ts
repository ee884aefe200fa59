import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressGroup } from './address-group.ts'

test('an IPv4 address is counted by itself, however it is written', () => {
  for (const spelling of ['203.0.113.9', '::ffff:203.0.113.9', '::FFFF:203.0.113.9']) {
    expect(addressGroup(spelling)).toBe('203.0.113.9')
  }
  expect(addressGroup('203.0.113.10')).not.toBe('203.0.113.9')
})

test('IPv6 is counted by its /64, however it is written', () => {
  for (const spelling of [
    '2001:db8:1:2::1',
    '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff',
    '2001:db8:1:2:3::',
    '2001:db8:1:2::1%eth0',
    '2001:db8:1:2::203.0.113.9',
  ]) {
    expect(addressGroup(spelling), spelling).toBe('2001:db8:1:2::/64')
  }
  expect(addressGroup('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64')
  expect(addressGroup('2001:db8::1')).toBe('2001:db8:0:0::/64')
  expect(addressGroup('::1')).toBe('0:0:0:0::/64')
  expect(addressGroup('::')).toBe('0:0:0:0::/64')
})

test('every spelling of every address falls into the group of its first 64 bits', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const host = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? ''
      if (addressGroup(address).includes('.')) return
      expect(addressGroup(address)).toBe(addressGroup(host))
    }),
    { numRuns: 1_000 },
  )
})

test('what is no address is one group', () => {
  for (const text of ['', 'x', '1.2.3', '/run/florin.sock']) {
    expect(addressGroup(text)).toBe('unknown')
  }
})
