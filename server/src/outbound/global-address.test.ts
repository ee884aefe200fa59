import { expect, test } from 'vitest'
import { isGlobalAddress, isLoopbackAddress } from './global-address.ts'

const NOT_GLOBAL = [
  // This network, private use, carriers' own, loopback, link-local with the metadata services.
  ...['0.0.0.0', '0.255.255.255', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255'],
  ...['100.100.100.200', '127.0.0.1', '127.255.255.255', '169.254.169.254', '169.254.170.2'],
  ...['172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255', '168.63.129.16'],
  // Protocol assignments, documentation, benchmarks, relays, multicast, reserved, broadcast.
  ...['192.0.0.1', '192.0.0.192', '192.0.2.1', '198.51.100.7', '203.0.113.9', '198.18.0.1'],
  ...['198.19.255.255', '192.88.99.1', '224.0.0.1', '239.255.255.255', '240.0.0.1'],
  '255.255.255.255',
  // IPv6: unspecified, loopback, link-local, unique local with a metadata service, site-local, multicast.
  ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd00:ec2::254', 'fec0::1', 'ff02::1'],
  // IPv4 in IPv6: mapped, compatible, translated, NAT64 (both), Teredo, 6to4.
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::7f00:1', '::8.8.8.8'],
  ...['::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  ...['2001:0:4136:e378:8000:63bf:3fff:fdd2', '2002:7f00:1::', '2002:0808:0808::1'],
  // Discard only, documentation, segment routing, what nobody has been given, and no address at all.
  ...['100::1', '2001:db8::1', '3fff::1', '5f00::1', '4000::1', 'e000::1', '2001:20::1'],
  ...['', 'localhost', '2130706433', '0x7f.1', '127.1', '8.8.8.8 ', '8.8.8.8%1', '2606:4700::1%1'],
]

test.each(NOT_GLOBAL)('"%s" is no public host', (address) => {
  expect(isGlobalAddress(address)).toBe(false)
})

test.each([
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'],
  ...['126.255.255.255', '128.0.0.0', '169.253.255.255', '172.15.255.255', '172.32.0.0'],
  ...['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
  ...['2606:4700:4700::1111', '2a00:1450:4001:831::200e', '2001:4860:4860::8888', '2003::1'],
])('%s can be one', (address) => {
  expect(isGlobalAddress(address)).toBe(true)
})

test('loopback is the two blocks of that name, and nothing that only leads there', () => {
  expect(['127.0.0.1', '127.8.9.10', '::1'].every(isLoopbackAddress)).toBe(true)
  const others = ['0.0.0.0', '::', '::ffff:127.0.0.1', '::7f00:1', '128.0.0.1', 'localhost', '::2']
  expect(others.filter(isLoopbackAddress)).toEqual([])
})
