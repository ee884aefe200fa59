import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { SocketConnection } from './web-socket.ts'
import { openWebSockets } from './web-socket.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Client } from './client-address.ts'
import { invalidRequest } from './library-errors.ts'
import { spellings } from './paths.ts'
import { headerValues, refuseForeignForms } from './request-headers.ts'

/** Somebody asks for a WebSocket. */
export interface SocketArrival {
  /** Every value of the Authorization header. */
  readonly authorization: readonly string[]
  /** What a browser says about the page that asks; undefined elsewhere. */
  readonly origin: string | undefined
  /** Every value of a header, by its name in small letters. */
  header(name: string): readonly string[]
  /** The client's address. */
  readonly address: string
  /** The value of `ticket` in the address, when there is one. */
  readonly ticket: string | undefined
  /** Adds headers to the answer, whether the socket opens or is refused. */
  tell(headers: Readonly<Record<string, string>>): void
}

/** A path that is a WebSocket, at both spellings. */
export interface SocketRoute {
  readonly path: string
  /** Says who may come in; a thrown Refusal is the answer. What it gives takes the open socket, and attends it at once. */
  admit(arrival: SocketArrival): Promise<(connection: SocketConnection) => void>
}

export interface Upgrades {
  /** Whether this request is for one of them: any other is answered as if it had not asked. */
  isOurs(request: IncomingMessage): boolean
  /** Whether a socket stands at this path, asked for or not. */
  standsAt(path: string): boolean
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Closes every open socket with 1012, since the service stops. */
  closeAll(): void
  /** Ends what has not closed by itself. */
  destroyAll(): void
}

export function openUpgrades({
  routes,
  clientOf,
  refuse,
  closing,
}: {
  readonly routes: readonly SocketRoute[]
  clientOf(request: IncomingMessage): Client
  /** Answers over a bare socket, with these headers beside its own, and ends it. */
  refuse(error: unknown, socket: Duplex, told: Readonly<Record<string, string>>): void
  readonly closing: AbortSignal
}): Upgrades {
  const byPath = new Map(
    routes.flatMap((route) => spellings(route.path).map((path) => [path, route] as const)),
  )
  const webSocket = openWebSockets()
  const open = new Set<SocketConnection>()
  const routeOf = ({ url = '' }: IncomingMessage) => byPath.get(url.split('?', 1)[0] ?? '')

  async function admit(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    told: Record<string, string>,
  ): Promise<void> {
    const route = routeOf(request)
    if (route === undefined) throw new Refusal('NOT_FOUND')
    refuseForeignForms(request)
    refuseBadHandshake(request, told)
    if (closing.aborted) throw new Refusal('NETWORK_ERROR', { details: { service: 'stopping' } })
    const { rawHeaders, url = '' } = request
    const take = await route.admit({
      authorization: headerValues(rawHeaders, 'authorization'),
      origin: headerValues(rawHeaders, 'origin').at(0),
      header: (name) => headerValues(rawHeaders, name),
      address: clientOf(request).address,
      ticket: new URLSearchParams(url.split('?')[1] ?? '').get('ticket') ?? undefined,
      tell: (headers) => Object.assign(told, headers),
    })
    if (socket.destroyed) return
    webSocket(request, socket, head, {
      headers: told,
      opened: (connection) => {
        open.add(connection)
        socket.once('close', () => open.delete(connection))
        take(connection)
        if (closing.aborted) connection.close(1012, GOING)
      },
      refused: (reason) => refuse(invalidRequest('Upgrade', reason), socket, told),
    })
  }

  return {
    isOurs: (request) =>
      request.headers.upgrade?.toLowerCase() === 'websocket' && routeOf(request) !== undefined,
    standsAt: (path) => byPath.has(path),
    accept: (request, socket, head) => {
      socket.on('error', () => socket.destroy())
      const told: Record<string, string> = {}
      admit(request, socket, head, told).catch((error: unknown) => refuse(error, socket, told))
    },
    closeAll: () => {
      for (const connection of open) connection.close(1012, GOING)
    },
    destroyAll: () => {
      for (const connection of open) connection.destroy()
    },
  }
}

const GOING = 'the service restarts'

/** What the library would refuse in a form of its own. Source: RFC 6455, 4.2.1 and 4.4. */
function refuseBadHandshake(
  { method, headers }: IncomingMessage,
  told: Record<string, string>,
): void {
  if (method !== 'GET') {
    told['allow'] = 'GET'
    throw new Refusal('METHOD_NOT_ALLOWED')
  }
  const { 'sec-websocket-key': key = '', 'sec-websocket-version': version } = headers
  if (!/^[+/0-9A-Za-z]{22}==$/.test(key)) {
    throw invalidRequest('Sec-WebSocket-Key', 'must be 16 bytes in base64')
  }
  if (version !== SOCKET_VERSION) {
    told['sec-websocket-version'] = SOCKET_VERSION
    throw invalidRequest('Sec-WebSocket-Version', `must be ${SOCKET_VERSION}`)
  }
}

const SOCKET_VERSION = '13'
