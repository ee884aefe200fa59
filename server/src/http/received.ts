import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import type { Caller, Person } from '../kernel/caller.ts'
import type { Client } from './client-address.ts'
import { goneSignal } from './drain.ts'
import type { Arrival } from './gate.ts'
import { headerValues } from './request-headers.ts'
import type { Incoming } from './route.ts'

// Classes, since every request makes one of each: literals with a function for each question took 600 bytes more.

/** Of a connection that is gone. */
const NOBODY: Client = { address: '', protocol: 'http' }

/** A request of which only the headers are there, as the gate sees it. */
export class Arriving implements Arrival {
  readonly authorization: readonly string[]
  readonly endpoint: Endpoint
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply

  constructor(request: FastifyRequest, reply: FastifyReply, endpoint: Endpoint) {
    this.authorization = headerValues(request.raw.rawHeaders, 'authorization')
    this.endpoint = endpoint
    this.#request = request
    this.#reply = reply
  }

  get address(): string {
    return this.#request.client?.address ?? ''
  }

  readonly header = (name: string): readonly string[] =>
    headerValues(this.#request.raw.rawHeaders, name)

  readonly tell = (headers: Readonly<Record<string, string>>): void => {
    this.#reply.headers(headers)
  }
}

/** A request that was read, as its route sees it. */
export class Received implements Incoming {
  readonly idempotencyKey: string | undefined
  readonly closing: AbortSignal
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #over: (response: ServerResponse) => AbortSignal
  readonly #demandAdmitted: (request: FastifyRequest, reply: FastifyReply) => Promise<void>

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    idempotencyKey: string | undefined,
    closing: AbortSignal,
    over: (response: ServerResponse) => AbortSignal,
    demandAdmitted: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
  ) {
    this.idempotencyKey = idempotencyKey
    this.closing = closing
    this.#request = request
    this.#reply = reply
    this.#over = over
    this.#demandAdmitted = demandAdmitted
  }

  get params(): unknown {
    return this.#request.params
  }

  get query(): unknown {
    return this.#request.query
  }

  get bytes(): Uint8Array | undefined {
    const { body } = this.#request
    return Buffer.isBuffer(body) ? body : undefined
  }

  get caller(): Caller | undefined {
    return this.#request.caller
  }

  get person(): Person | undefined {
    return this.#request.person
  }

  get client(): Client {
    return this.#request.client ?? NOBODY
  }

  get requestId(): string {
    return this.#request.id
  }

  header(name: string): readonly string[] {
    return headerValues(this.#request.raw.rawHeaders, name)
  }

  clientGone(): AbortSignal {
    return goneSignal(this.#reply.raw)
  }

  over(): AbortSignal {
    return this.#over(this.#reply.raw)
  }

  demandAdmitted(): Promise<void> {
    return this.#demandAdmitted(this.#request, this.#reply)
  }
}
