import { isIP } from 'node:net'

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const GROUPS = 8
const NETWORK_GROUPS = 4

/**
 * Who is counted together: an IPv4 address by itself, IPv6 by its /64, which is what one subscriber has at the least. What is
 * no address is one group.
 */
export function addressGroup(address: string): string {
  const [plain = ''] = address.split('%', 1)
  const mapped = MAPPED.exec(plain)?.[1]
  if (mapped !== undefined) return mapped
  switch (isIP(plain)) {
    case 4:
      return plain
    case 6:
      return `${networkOf(plain)}::/64`
    default:
      return 'unknown'
  }
}

function networkOf(address: string): string {
  const [left = '', right] = address.split('::')
  const before = groupsOf(left)
  const after = groupsOf(right ?? '')
  const zeros = right === undefined ? 0 : GROUPS - before.length - after.length
  return [...before, ...Array<string>(zeros).fill('0'), ...after]
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** A dotted end is two groups. */
function groupsOf(text: string): readonly string[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]))
}
