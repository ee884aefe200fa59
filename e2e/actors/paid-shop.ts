import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import express from 'express'
import { fastify } from 'fastify'
import { Hono } from 'hono'
import type { Florin } from '@florin/sdk'
import { paywall } from '@florin/sdk'
import type { PaywallOptions } from '@florin/sdk'

export const FRAMEWORKS = ['express', 'hono', 'fastify'] as const
export type Framework = (typeof FRAMEWORKS)[number]

/** What a shop hands out, or the error that it has instead. `carrier`: what takes the amount of `upto` in its framework. */
export type Handler = (carrier: object) => object

export interface PaidShop {
  /** What is paid for. */
  readonly url: string
  stop(): Promise<void>
}

/** A shop behind the client's paywall, one line of it, in this process. */
export async function openPaidShop(
  framework: Framework,
  florin: Florin,
  options: PaywallOptions,
  handler: Handler = () => ({ goods: true }),
): Promise<PaidShop> {
  const wall = paywall(florin, options)
  const listening = await OPEN[framework](wall, handler)
  const { port } = listening.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/goods`,
    stop: async () => {
      listening.closeAllConnections()
      await new Promise((resolve) => listening.close(resolve))
    },
  }
}

type Wall = ReturnType<typeof paywall>

const OPEN = {
  express: async (wall: Wall, handler: Handler) => {
    const app = express()
    app.get('/goods', wall, (_, answer) => {
      answer.json(handler(answer))
    })
    // The framework's own answer to an error prints its stack.
    app.set('env', 'test')
    return listen(createServer(app))
  },
  hono: async (wall: Wall, handler: Handler) => {
    const app = new Hono()
    app.get('/goods', wall, (context) => context.json(handler(context)))
    app.onError((_, context) => context.json({ error: 'broken' }, 500))
    return listen(createAdaptorServer({ fetch: app.fetch }) as ReturnType<typeof createServer>)
  },
  fastify: async (wall: Wall, handler: Handler) => {
    const app = fastify()
    app.get('/goods', { preHandler: wall }, (request, reply) => reply.send(handler(request)))
    await app.listen({ host: '127.0.0.1', port: 0 })
    return app.server
  },
} as const satisfies Record<Framework, (wall: Wall, handler: Handler) => Promise<object>>

async function listen(server: ReturnType<typeof createServer>) {
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return server
}
