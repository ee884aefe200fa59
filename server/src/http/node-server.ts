import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Server as TlsServer } from 'node:https'
import type { limits } from '../kernel/limits.ts'
import type { Secret } from '../kernel/secret.ts'

/** What a server proves itself with, PEM. */
export interface TlsIdentity {
  /** The certificate, and those between it and the root. */
  readonly certificate: string
  readonly key: Secret
}

/** The sockets of the edge, plain or under TLS, all of them under the same limits. */
export interface NodeServers {
  open(handler: RequestListener): Server
  /** New connections get the new certificate; those that are open stay as they are. Throws when it is unusable. */
  renew(tls: TlsIdentity): void
}

type Limits = Readonly<Record<keyof typeof limits, number>>

const TLS_VERSION_MIN = 'TLSv1.2'

/**
 * Connections that the system holds for a process that is busy; no more than its own `net.core.somaxconn`, 4,096 on Linux. With Node's 511, of
 * 4,000 callers that came at once to a busy service some waited for 110 s: what the system drops is sent again after 1, 2, 4 ... seconds.
 */
export const CONNECTION_BACKLOG = 4_096

/** Makes servers that end slow, quiet and half-open connections by themselves. */
export function openNodeServers({
  limits,
  tls,
  isUpgrade = () => false,
}: {
  limits: Limits
  tls?: TlsIdentity | undefined
  /** Which requests for another protocol are granted; the others are answered as ordinary requests. */
  isUpgrade?: (request: IncomingMessage) => boolean
}): NodeServers {
  const encrypted: TlsServer[] = []
  const options = {
    maxHeaderSize: limits.headerBytesMax,
    // Node looks for late requests only this often; its own default is 30 s.
    connectionsCheckingInterval: 1000,
    headersTimeout: limits.headersArriveSeconds * 1000,
    requestTimeout: limits.requestArrivesSeconds * 1000,
    keepAliveTimeout: limits.keepAliveSeconds * 1000,
    shouldUpgradeCallback: isUpgrade,
    // Refused above, where the answer has the shape of every other: Node's own has no body.
    requireHostHeader: false,
  }
  // A request that expects what nobody here knows goes to the handler, too: Node's own answer has no body.
  const prepared = <Of extends Server | TlsServer>(server: Of, handler: RequestListener): Of => {
    server.on('checkExpectation', handler)
    server.setTimeout(limits.requestTimeoutSeconds * 1000)
    return server
  }
  let identity = tls
  return {
    open: (handler) => {
      if (identity === undefined) {
        return prepared(createServer(options, handler), handler)
      }
      const server = createTlsServer(
        {
          ...options,
          ...contextOf(identity),
          handshakeTimeout: limits.headersArriveSeconds * 1000,
        },
        handler,
      )
      encrypted.push(server)
      return prepared(server, handler)
    },
    renew: (next) => {
      for (const server of encrypted) server.setSecureContext(contextOf(next))
      identity = next
    },
  }
}

function contextOf({ certificate, key }: TlsIdentity) {
  return { cert: certificate, key: key.reveal(), minVersion: TLS_VERSION_MIN } as const
}
