import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { dial } from './dial.ts'
import type { DialFailure } from './dial.ts'
import { isGlobalAddress, isLoopbackAddress } from './global-address.ts'
import { isOwnListener } from './own-listeners.ts'
import type { Listener } from './own-listeners.ts'
import { resolvePublicName } from './resolve.ts'
import type { Resolve } from './resolve.ts'
import { readTarget } from './target.ts'
import type { Target, TargetProblem } from './target.ts'

export interface OutboundOptions {
  /** In the sandbox: plain HTTP, every port, and this machine's loopback; nothing else of what is private. */
  readonly allowLoopback: boolean
  /** Our own doors, database and nodes, as of now: never dialled, in the sandbox neither. */
  readonly ownListeners: () => readonly Listener[]
  readonly clock: Clock
  /** Ports that may be dialled outside the sandbox; left out, 443. */
  readonly ports?: readonly number[]
  readonly lookup?: Resolve
  /** Further certificate authorities that are believed, PEM. */
  readonly authorities?: readonly string[]
}

export interface OutboundRequest {
  readonly url: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** For everything: name, connection, request and the whole answer. */
  readonly timeoutMilliseconds: number
  /** Of the answer; a longer one is a failure. */
  readonly bodyBytesMax: number
  readonly signal?: AbortSignal
}

export interface OutboundAnswer {
  readonly kind: 'answered'
  /** Redirects are answers like any other: nothing is followed. */
  readonly status: number
  /** By lower-case name; repeated ones joined by a comma, `set-cookie` by COOKIES_APART. */
  readonly headers: ReadonlyMap<string, string>
  /** As sent: nothing is unpacked. */
  readonly body: Uint8Array
}

/** Nothing was dialled, and asking again does not help. */
export interface OutboundRefusal {
  readonly kind: 'refused'
  readonly reason: TargetProblem | 'address_not_allowed' | 'header_not_allowed'
}

export interface OutboundFailure {
  readonly kind: 'failed'
  readonly reason: DialFailure | 'name_not_found' | 'name_lookup_failed' | 'busy'
  /** False: the other side has certainly not heard of the request. True: nobody knows. */
  readonly mayHaveArrived: boolean
  /** What an answer said before its body; present where that was too long. */
  readonly head?: Pick<OutboundAnswer, 'status' | 'headers'>
}

export type OutboundOutcome = OutboundAnswer | OutboundRefusal | OutboundFailure

export interface Outbound {
  /** One request to somebody else's address. Never throws for what the other side is or does. */
  request(request: OutboundRequest): Promise<OutboundOutcome>
}

const PORTS = [443]

/**
 * Calls addresses that callers gave. A name is resolved once, all its addresses are vetted, and only vetted ones are dialled: what a
 * name server says a moment later is never asked. Every request has a connection of its own, so none outlives its vetting.
 */
export function openOutbound(options: OutboundOptions): Outbound {
  const { allowLoopback, ownListeners, clock, ports = PORTS, lookup = resolvePublicName } = options
  let underWay = 0

  const mayDial = (address: string, port: number) =>
    (isGlobalAddress(address) || (allowLoopback && isLoopbackAddress(address))) &&
    !isOwnListener(address, port, ownListeners())

  async function vetted(target: Target, over: AbortSignal): Promise<Vetted> {
    const addresses = await addressesOf(target, over)
    if (!Array.isArray(addresses)) return addresses
    if (addresses.length === 0) return failed('name_not_found')
    const areAllowed = addresses.every((address) => mayDial(address, target.port))
    if (!areAllowed) return { kind: 'refused', reason: 'address_not_allowed' }
    return { kind: 'vetted', addresses: addresses.slice(0, limits.outboundAddressesMax) }
  }

  async function addressesOf({ host, isLiteral }: Target, over: AbortSignal) {
    if (isLiteral) return [host]
    if (/(?:^|\.)localhost$/i.test(host))
      return allowLoopback ? ['127.0.0.1', '::1'] : ['127.0.0.1']
    try {
      return [...(await orOver(lookup(host, over), over))]
    } catch {
      return failed(over.aborted ? 'timeout' : 'name_lookup_failed')
    }
  }

  async function ask(request: OutboundRequest, over: AbortSignal): Promise<OutboundOutcome> {
    const read = readTarget(request.url, {
      allowHttp: allowLoopback,
      ports: allowLoopback ? 'any' : ports,
    })
    if (!read.ok) return { kind: 'refused', reason: read.reason }
    const addresses = await vetted(read.target, over)
    if (addresses.kind !== 'vetted') return addresses
    return dial(read.target, addresses.addresses, request, over, options.authorities)
  }

  return {
    async request(request) {
      if (underWay >= limits.outboundRequestsMax) return failed('busy')
      underWay += 1
      const done = new AbortController()
      const deadline = new AbortController()
      const { signal = done.signal, timeoutMilliseconds } = request
      const over = AbortSignal.any([deadline.signal, signal])
      // Ends with the request: aborting `done` ends the sleep.
      const alarm = clock.sleep(timeoutMilliseconds, done.signal).then(() => deadline.abort())
      try {
        const outcome = await ask(request, over)
        const wasGivenUp = outcome.kind === 'failed' && signal.aborted
        return wasGivenUp ? { ...outcome, reason: 'given_up' } : outcome
      } finally {
        underWay -= 1
        done.abort()
        await alarm
      }
    },
  }
}

type Vetted =
  | { readonly kind: 'vetted'; readonly addresses: readonly string[] }
  | OutboundRefusal
  | OutboundFailure

function failed(reason: OutboundFailure['reason']): OutboundFailure {
  return { kind: 'failed', reason, mayHaveArrived: false }
}

/** The same promise, rejected as soon as nobody waits for it any more. */
async function orOver<T>(promise: Promise<T>, over: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new Error('over'))
    if (over.aborted) end()
    over.addEventListener('abort', end, { once: true })
    promise.then(resolve, reject).finally(() => over.removeEventListener('abort', end))
  })
}
