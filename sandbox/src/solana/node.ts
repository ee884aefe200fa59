import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { SolanaFault } from '../faults/fault.ts'
import { Complaint } from '../host/complaint.ts'
import type { Json, JsonObject } from '../host/json.ts'
import { isJsonObject, parseJson } from '../host/json.ts'
import type { Log } from '../host/log.ts'
import { requireLitesvm } from './litesvm-package.ts'
import type { Order, Reply } from './message.ts'
import { readReply } from './message.ts'
import { makerAnswerOf, solanaMarketOf } from '../maker/told.ts'
import type { SolanaMarket } from '../maker/told.ts'
import type { MakerAnswer } from '../maker/maker.ts'
import type { SolanaPaid } from './payer.ts'
import { solanaOrderJson } from './solana-order.ts'
import type { SolanaOrder } from './solana-order.ts'
import { startOrderJson } from './start-order.ts'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const STOP_SECONDS = 10
const BACKOFF_MILLISECONDS_MIN = 100
const BACKOFF_MILLISECONDS_MAX = 5_000
/** A process that lived this long died of something new. */
const HEALTHY_MILLISECONDS = 30_000

/** The Solana process gave no answer: it is starting, dying or dead. */
export class SolanaUnreachable extends Error {
  override readonly name = 'SolanaUnreachable'
}

/** The Solana chain's process under supervision: while the sandbox lives there is one, or one is on its way. */
export interface SolanaNode {
  /** Of HTTP and WebSocket; the next port takes WebSockets, too. Stays when the process is started again. */
  readonly port: number
  pid(): number | null
  /** Who trades there, and what. */
  readonly market: SolanaMarket
  pay(order: SolanaOrder): Promise<SolanaPaid>
  /** Asks the maker. @throws {SolanaUnreachable} */
  maker(request: Json): Promise<MakerAnswer>
  fault(fault: SolanaFault): Promise<void>
  clearFaults(): Promise<void>
  state(): Promise<JsonObject>
  stop(): Promise<void>
  /** Ends it at once, unsaved. */
  abandon(): void
}

export interface SolanaNodeOptions {
  readonly directory: string
  /** The process starts at once; the chain when its instance is known. */
  readonly instance: Promise<string>
  readonly faults: boolean
  readonly port: { readonly fixed?: number; readonly remembered?: number }
  readonly log: Log
}

/** @throws {Complaint} for what a person can mend */
export async function startSolanaNode(options: SolanaNodeOptions): Promise<SolanaNode> {
  requireLitesvm()
  const { directory, faults, log } = options
  const stopping = new AbortController()
  let current: Worker | undefined = startWorker()
  const first = current
  let backoff = BACKOFF_MILLISECONDS_MIN
  let instance: string
  let port: number
  let market: SolanaMarket
  try {
    instance = await options.instance
    const { fixed = null, remembered = null } = options.port
    const order = { directory, instance, faults, fixedPort: fixed, rememberedPort: remembered }
    const started = await first.ask('start', startOrderJson(order))
    port = portOf(started)
    market = solanaMarketOf(started)
  } catch (error) {
    await first.kill()
    throw error
  }

  const restarted = async (): Promise<Worker | undefined> => {
    while (!stopping.signal.aborted) {
      await delay(backoff, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return undefined
      backoff = Math.min(backoff * 2, BACKOFF_MILLISECONDS_MAX)
      const worker = startWorker()
      try {
        const order = { directory, instance, faults, fixedPort: port, rememberedPort: null }
        await worker.ask('start', startOrderJson(order))
        if (!stopping.signal.aborted) return worker
      } catch (error) {
        log(
          `the Solana chain does not start: ${error instanceof Error ? error.message : 'unknown'}`,
        )
      }
      await worker.kill()
    }
    return undefined
  }
  const supervise = async (): Promise<void> => {
    for (let worker: Worker | undefined = first; worker !== undefined;) {
      const since = performance.now()
      await worker.ended
      current = undefined
      if (stopping.signal.aborted) return
      if (performance.now() - since > HEALTHY_MILLISECONDS) backoff = BACKOFF_MILLISECONDS_MIN
      log('the Solana process ended by itself; starting it again')
      worker = await restarted()
      current = worker
    }
  }
  const supervised = supervise()
  const running = (): Worker => {
    if (current === undefined) throw new SolanaUnreachable('the Solana chain is starting')
    return current
  }

  return {
    port,
    market,
    async maker(request) {
      return makerAnswerOf(await running().ask('maker', request))
    },
    pid: () => current?.pid ?? null,
    async pay(order) {
      try {
        return paidOf(await running().ask('pay', solanaOrderJson(order)))
      } catch (error) {
        if (!(error instanceof SolanaUnreachable)) throw error
        return { ok: false, code: 'NETWORK_ERROR', message: error.message }
      }
    },
    async fault(fault) {
      const worker = running()
      if (fault.kind === 'kill-node') return await worker.kill()
      await worker.ask('fault', { ...fault })
    },
    async clearFaults() {
      if (current !== undefined) await running().ask('clear', null)
    },
    async state() {
      if (current === undefined) return { pid: null }
      const state = await running().ask('state', null)
      return isJsonObject(state) ? state : {}
    },
    async stop() {
      stopping.abort()
      await current?.stop()
      await supervised
    },
    abandon: () => void current?.kill(),
  }
}

interface Worker {
  readonly pid: number
  readonly ended: Promise<void>
  /** @throws {SolanaUnreachable | Complaint} */
  ask(what: Order['what'], value: Json): Promise<Json>
  stop(): Promise<void>
  kill(): Promise<void>
}

function startWorker(): Worker {
  const child: ChildProcess = fork(MAIN, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const open = new Map<number, (reply: Reply) => void>()
  let lastId = 0
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const gone = { ok: false, complaint: false, message: 'the Solana process ended' } as const
  void ended.then(() => {
    for (const [id, settle] of open) settle({ id, ...gone })
    open.clear()
  })
  child.on('message', (message) => {
    const reply = readReply(parseJson(JSON.stringify(message)))
    if (reply === undefined) return
    open.get(reply.id)?.(reply)
    open.delete(reply.id)
  })
  const ask = async (what: Order['what'], value: Json): Promise<Json> => {
    lastId += 1
    const id = lastId
    const reply = await new Promise<Reply>((resolve) => {
      if (!child.connected) return resolve({ id, ...gone })
      open.set(id, resolve)
      child.send({ id, what, with: value } satisfies Order, (error) => {
        if (error !== null) resolve({ id, ...gone })
      })
    })
    if (reply.ok) return reply.value
    throw reply.complaint ? new Complaint(reply.message) : new SolanaUnreachable(reply.message)
  }
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  return {
    pid: child.pid ?? 0,
    ended,
    ask,
    async stop() {
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_SECONDS * 1000)
      await ask('stop', null).catch(() => undefined)
      await ended
      clearTimeout(timer)
    },
    kill,
  }
}

function portOf(value: Json): number {
  if (isJsonObject(value) && typeof value['port'] === 'number') return value['port']
  throw new Error('the Solana process told no port')
}

function paidOf(value: Json): SolanaPaid {
  if (isJsonObject(value)) {
    const { ok, signature, code, message } = value
    if (ok === true && typeof signature === 'string') return { ok, signature }
    if (typeof code === 'string' && typeof message === 'string') return { ok: false, code, message }
  }
  throw new Error('the Solana process told nothing about a payment')
}
