import { BlockList, isIP } from 'node:net'
import { openRecent } from '../kernel/recent.ts'

/** Whom we believe about where a request came from. */
export interface TrustedProxies {
  /** Whether this canonical address is one of theirs. */
  includes(address: string): boolean
  /** Nobody is trusted: what headers say of the client is ignored. */
  readonly none: boolean
}

/** Who asks, as far as it can be known. */
export interface Client {
  /** IPv4 or IPv6 in its one spelling; an IPv4 address inside IPv6 is IPv4. Empty when the connection is gone. */
  readonly address: string
  /** What the client itself spoke, to the proxy when there is one. */
  readonly protocol: 'http' | 'https'
}

const RANGE = /^([^/]+)(?:\/([0-9]{1,3}))?$/
const MAPPED_BITS = 96
/** Peers whose spelling is remembered. */
const PEERS_MAX = 1_000
const peers = openRecent<string>(PEERS_MAX)

/**
 * Reads a list of addresses and CIDR ranges, separated by commas or spaces. Gives the entries that are neither, when there are
 * any. `0.0.0.0/0` and `::/0` are among these: whoever trusts everybody lets every client choose its own address.
 */
export function readTrustedProxies(
  text: string,
):
  | { readonly ok: true; readonly proxies: TrustedProxies }
  | { readonly ok: false; readonly wrong: readonly string[] } {
  const list = new BlockList()
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
  const wrong = entries.filter((entry) => !addRange(list, entry))
  if (wrong.length > 0) return { ok: false, wrong }
  return {
    ok: true,
    proxies: {
      includes: (address) => isIP(address) !== 0 && list.check(address, typeOf(address)),
      none: entries.length === 0,
    },
  }
}

/** For a service that stands behind nobody. */
export const NO_PROXIES: TrustedProxies = { includes: () => false, none: true }

/**
 * The client of a request. Each proxy adds to the right of X-Forwarded-For whom it spoke to, so the list is read from the right,
 * for as long as the one who wrote an entry is trusted; the first address that is not trusted is the client, whatever stands
 * left of it. An entry that is no address ends the reading: then the trusted one that wrote it counts as the client.
 */
export function clientOf(
  {
    peer,
    isEncrypted,
    forwardedFor,
    forwardedProto,
  }: {
    /** The other end of the connection. */
    readonly peer: string | undefined
    readonly isEncrypted: boolean
    /** Every value of X-Forwarded-For, in order. */
    readonly forwardedFor: readonly string[]
    /** Every value of X-Forwarded-Proto, in order. */
    readonly forwardedProto: readonly string[]
  },
  trusted: TrustedProxies,
): Client {
  let address = canonicalPeer(peer ?? '')
  const own = isEncrypted ? 'https' : 'http'
  if (!trusted.includes(address)) return { address, protocol: own }
  for (const entry of entriesOf(forwardedFor).toReversed()) {
    const before = canonicalAddress(entry)
    if (before === undefined) break
    address = before
    if (!trusted.includes(address)) break
  }
  const said = entriesOf(forwardedProto).at(-1)?.toLowerCase()
  return { address, protocol: said === 'https' || said === 'http' ? said : own }
}

/** The same for the other end of a connection, which comes again with each of its requests. */
function canonicalPeer(peer: string): string {
  const known = peers.get(peer)
  if (known !== undefined) return known
  const address = canonicalAddress(peer) ?? ''
  peers.set(peer, address)
  return address
}

/**
 * The one spelling of an address, or undefined for what is none. A port, brackets and a zone are left out, since some proxies
 * write them.
 */
export function canonicalAddress(text: string): string | undefined {
  const bare = text.trim().replace(/^"(.*)"$/, '$1')
  const inner = /^\[([^\]]+)\](?::[0-9]{1,5})?$/.exec(bare)?.[1]
  const address = inner ?? bare.replace(/^([0-9.]+):[0-9]{1,5}$/, '$1')
  switch (isIP(address)) {
    case 4:
      return inner === undefined ? address : undefined
    case 6:
      return canonicalV6(address)
    default:
      return undefined
  }
}

/** RFC 5952, as the URL standard's host serialiser writes it, which knows no zones. */
function canonicalV6(address: string): string | undefined {
  const [plain = ''] = address.split('%', 1)
  const host = URL.parse(`http://[${plain}]/`)?.hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host ?? '')
  if (mapped === null) return host
  const [high, low] = [mapped[1], mapped[2]].map((part) => Number.parseInt(part ?? '', 16))
  const bytes = [high, low].flatMap((word = 0) => [word >> 8, word & 255])
  return bytes.join('.')
}

function addRange(list: BlockList, entry: string): boolean {
  const [, base = '', bits] = RANGE.exec(entry) ?? []
  const address = isIP(base) === 0 ? undefined : canonicalAddress(base)
  if (address === undefined) return false
  const type = typeOf(address)
  const isMapped = isIP(base) === 6 && type === 'ipv4'
  const most = type === 'ipv4' ? 32 : 128
  const prefix = bits === undefined ? most : Number(bits) - (isMapped ? MAPPED_BITS : 0)
  if (prefix < 1 || prefix > most) return false
  list.addSubnet(address, prefix, type)
  return true
}

function typeOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}

function entriesOf(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => value.split(',')).map((entry) => entry.trim())
}
