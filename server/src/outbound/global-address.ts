import { BlockList, isIP } from 'node:net'

/**
 * What no public host answers at: the special-purpose blocks of RFC 6890 and its successors, multicast, 6to4 relays, and the address
 * at which one cloud serves its machines' credentials although it looks public.
 */
const NOT_GLOBAL_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/** Everything assigned for public hosts (RFC 4291, 2.4); mapped, compatible, NAT64, unique local and link-local are outside it. */
const GLOBAL_6 = '2000::/3'
/** Inside it, yet not hosts: protocol assignments with Teredo, documentation, and 6to4, whose addresses hold IPv4 ones. */
const NOT_GLOBAL_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

const notGlobal4 = listOf(NOT_GLOBAL_4, 'ipv4')
const global6 = listOf([GLOBAL_6], 'ipv6')
const notGlobal6 = listOf(NOT_GLOBAL_6, 'ipv6')
const loopback4 = listOf(['127.0.0.0/8'], 'ipv4')
const loopback6 = listOf(['::1/128'], 'ipv6')

/** Whether an IP address, written as systems write it, can be a public host. Anything else, zones included, is not. */
export function isGlobalAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !notGlobal4.check(address, 'ipv4')
    case 6:
      return (
        !address.includes('%') &&
        global6.check(address, 'ipv6') &&
        !notGlobal6.check(address, 'ipv6')
      )
    default:
      return false
  }
}

/** Whether an IP address is this machine by definition, mapped spellings not included. */
export function isLoopbackAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return loopback4.check(address, 'ipv4')
    case 6:
      // A mapped address is checked as its IPv4 one in a list of both families; this list has one.
      return !address.includes('%') && loopback6.check(address, 'ipv6')
    default:
      return false
  }
}

function listOf(blocks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const block of blocks) {
    const [address = '', prefix] = block.split('/')
    list.addSubnet(address, Number(prefix), family)
  }
  return list
}
