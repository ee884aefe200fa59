import { describe, expect, test } from 'vitest'
import { canonicalAddress, clientOf, NO_PROXIES, readTrustedProxies } from './client-address.ts'
import type { TrustedProxies } from './client-address.ts'

function trusting(text: string): TrustedProxies {
  const read = readTrustedProxies(text)
  if (!read.ok) throw new Error(read.wrong.join())
  return read.proxies
}
const PROXIES = trusting('10.0.0.0/8, 2001:db8:1::/48')

const addressOf = (peer: string, ...forwardedFor: readonly string[]) =>
  clientOf({ peer, isEncrypted: false, forwardedFor, forwardedProto: [] }, PROXIES).address

describe('the client of a request', () => {
  test('is the other end of the connection, whatever it claims, when that is no trusted proxy', () => {
    expect(addressOf('203.0.113.9')).toBe('203.0.113.9')
    expect(addressOf('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9')
    expect(addressOf('203.0.113.9', '10.0.0.1')).toBe('203.0.113.9')
  })

  test('is what a trusted proxy says of it', () => {
    expect(addressOf('10.1.2.3', '198.51.100.1')).toBe('198.51.100.1')
    expect(addressOf('2001:db8:1::5', '2001:DB8:FFFF:0:0::1')).toBe('2001:db8:ffff::1')
  })

  test('is the right-most address that is not trusted: what a client wrote itself stands left of it', () => {
    expect(addressOf('10.1.2.3', '1.2.3.4, 10.9.9.9, 198.51.100.1')).toBe('198.51.100.1')
    expect(addressOf('10.1.2.3', '1.2.3.4, 198.51.100.1, 10.9.9.9, 2001:db8:1::7')).toBe(
      '198.51.100.1',
    )
  })

  test('is read from several headers as from one list', () => {
    expect(addressOf('10.1.2.3', '1.2.3.4', '198.51.100.1', '10.9.9.9')).toBe('198.51.100.1')
    expect(addressOf('10.1.2.3', '1.2.3.4, 198.51.100.1', '10.9.9.9')).toBe('198.51.100.1')
  })

  test('is the farthest proxy when everybody is trusted, and the nearest when nothing is said', () => {
    expect(addressOf('10.1.2.3', '10.0.0.7, 10.0.0.8')).toBe('10.0.0.7')
    expect(addressOf('10.1.2.3')).toBe('10.1.2.3')
  })

  test.each(['unknown', '_hidden', '', '1.2.3', '1.2.3.4.5', '::g', '[1.2.3.4]', "1.2.3.4'--"])(
    'is the proxy that wrote %j, which is no address, and never what stands left of it',
    (entry) => {
      expect(addressOf('10.1.2.3', `198.51.100.1, ${entry}`)).toBe('10.1.2.3')
      expect(addressOf('10.1.2.3', `198.51.100.1, ${entry}, 10.0.0.8`)).toBe('10.0.0.8')
    },
  )

  test('has one spelling: ports, brackets, zones, long forms and IPv4 inside IPv6 are the same client', () => {
    for (const spelling of [
      '198.51.100.1:4711',
      '::ffff:198.51.100.1',
      '::FFFF:c633:6401',
      '[::ffff:198.51.100.1]:4711',
      '"198.51.100.1"',
    ]) {
      expect(addressOf('10.1.2.3', spelling), spelling).toBe('198.51.100.1')
    }
    for (const spelling of ['[2001:db8::1]:443', '2001:0db8:0:0:0:0:0:1', '2001:db8::1%eth0']) {
      expect(addressOf('::ffff:10.1.2.3', spelling), spelling).toBe('2001:db8::1')
    }
    expect(canonicalAddress('0198.51.100.1')).toBeUndefined()
  })

  test('is nobody when the connection is gone', () => {
    const gone = { peer: undefined, isEncrypted: false, forwardedProto: [] }
    expect(clientOf({ ...gone, forwardedFor: ['1.2.3.4'] }, PROXIES).address).toBe('')
  })

  test('speaks what the trusted proxy says, else what reached us', () => {
    const ask = (peer: string, isEncrypted: boolean, ...forwardedProto: readonly string[]) =>
      clientOf({ peer, isEncrypted, forwardedFor: [], forwardedProto }, PROXIES).protocol
    expect(ask('10.1.2.3', false, 'https')).toBe('https')
    expect(ask('10.1.2.3', true, 'http')).toBe('http')
    expect(ask('10.1.2.3', false, 'https, http')).toBe('http')
    expect(ask('10.1.2.3', true, 'gopher')).toBe('https')
    expect(ask('203.0.113.9', false, 'https')).toBe('http')
    expect(ask('203.0.113.9', true, 'http')).toBe('https')
  })
})

describe('the proxies to trust', () => {
  test('are single addresses and ranges of both kinds', () => {
    const proxies = trusting('127.0.0.1 ::1,192.168.0.0/16,fd00::/8 ::ffff:172.16.0.0/108')
    for (const inside of ['127.0.0.1', '::1', '192.168.7.7', 'fd12::9', '172.16.5.5']) {
      expect(proxies.includes(inside), inside).toBe(true)
    }
    for (const outside of ['127.0.0.2', '::2', '192.169.0.1', 'fe80::1', '172.33.0.1', '', 'x']) {
      expect(proxies.includes(outside), outside).toBe(false)
    }
    expect(proxies.none).toBe(false)
  })

  test('are nobody when nothing is said', () => {
    expect(trusting(' ').none).toBe(true)
    const spoofed = { isEncrypted: false, forwardedFor: ['1.2.3.4'], forwardedProto: ['https'] }
    expect(clientOf({ peer: '127.0.0.1', ...spoofed }, NO_PROXIES)).toEqual({
      address: '127.0.0.1',
      protocol: 'http',
    })
  })

  test('are refused one by one when they are no ranges, or all the world', () => {
    const text = '10.0.0.0/33 proxy.example 0.0.0.0/0 ::/0 10.0.0.0/8 ::ffff:0.0.0.0/96 1.2.3.4/-1'
    expect(readTrustedProxies(text)).toEqual({
      ok: false,
      wrong: [
        '10.0.0.0/33',
        'proxy.example',
        '0.0.0.0/0',
        '::/0',
        '::ffff:0.0.0.0/96',
        '1.2.3.4/-1',
      ],
    })
  })
})
