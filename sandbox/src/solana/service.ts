import { createServer } from 'node:http'
import { readFault } from '../faults/read-fault.ts'
import type { SolanaFault } from '../faults/fault.ts'
import { openStandingFaults } from '../faults/standing.ts'
import { closeServer } from '../host/http.ts'
import type { Json, JsonObject } from '../host/json.ts'
import type { Log } from '../host/log.ts'
import { openMaker } from '../maker/maker.ts'
import { BLOCKHASH_BLOCKS, SOLANA_USDC } from './chain-facts.ts'
import { startChain } from './chain/chain.ts'
import { openDistortions } from './distortion.ts'
import { createHttpGateway } from './http-gateway.ts'
import { listenOnPair } from './listen-pair.ts'
import { openSolanaPayer } from './payer.ts'
import { readSolanaOrder } from './solana-order.ts'
import type { StartOrder } from './start-order.ts'
import { openHub } from './subscriptions/hub.ts'
import { acceptWebSockets } from './websocket-gateway.ts'

/** The Solana chain with its ports, inside its own process. */
export interface SolanaService {
  readonly port: number
  /** What can be traded, and with whom. */
  readonly market: JsonObject
  fault(value: Json): Promise<void>
  clear(): void
  state(): JsonObject
  pay(value: Json): Promise<Json>
  /** Asks the maker; gives an HTTP status and a body. */
  maker(value: Json): Promise<Json>
  stop(): Promise<void>
}

export async function startSolanaService(order: StartOrder, log: Log): Promise<SolanaService> {
  const chain = await startChain(order.directory, order.instance, log)
  const payer = await openSolanaPayer(chain)
  const maker = await openMaker(chain)
  const distortions = openDistortions()
  const standing = order.faults ? openStandingFaults() : undefined
  const context = { chain, distortion: distortions, airdrop: payer.airdrop }
  const parts = { context, log, ...(standing === undefined ? {} : { faults: standing }) }
  const http = createHttpGateway(parts)
  const beside = createServer((_, response) => {
    response.writeHead(405)
    response.end('this port takes WebSockets only')
  })
  const endSockets = acceptWebSockets([http, beside], parts, openHub(chain))
  const { fixedPort, rememberedPort } = order
  const port = await listenOnPair(http, beside, {
    ...(fixedPort === null ? {} : { fixed: fixedPort }),
    ...(rememberedPort === null ? {} : { remembered: rememberedPort }),
  })

  const apply = async (fault: SolanaFault): Promise<void> => {
    switch (fault.kind) {
      case 'drop':
      case 'delay':
      case 'hang':
      case 'fail':
      case 'down':
        standing?.add(fault)
        return
      case 'stop-blocks':
        return chain.pause()
      case 'resume-blocks':
        return chain.resume()
      case 'mine':
        return await chain.advance(fault.blocks)
      case 'expire':
        return await chain.advance(BLOCKHASH_BLOCKS + 1)
      case 'fork':
        return chain.fork(fault.transactions, fault.slots)
      case 'lag':
        return distortions.lag(fault.slots)
      case 'blind':
        return distortions.blind(fault.count ?? Infinity)
      case 'kill-node':
        throw new Error('a process is ended from outside')
      default:
        fault satisfies never
    }
  }

  return {
    port,
    market: {
      maker: maker.address,
      tokens: maker.tokens.flatMap(({ mint, symbol, decimals }) =>
        mint === SOLANA_USDC ? [] : [{ mint, symbol, decimals }],
      ),
    },
    async fault(value) {
      const fault = readFault(value)
      if (fault.chain !== 'solana') throw new Error('a fault of another chain')
      await apply(fault)
    },
    clear() {
      standing?.clear()
      distortions.clear()
      chain.disarmFork()
      chain.resume()
    },
    state: () => ({
      faults: standing?.list().map((fault): JsonObject => ({ ...fault })) ?? [],
      blocksStopped: chain.paused(),
      lagSlots: distortions.lagSlots(),
      slot: chain.bank.open().slot,
      finalSlot: chain.keeper.finalSlot(),
      pid: process.pid,
    }),
    async pay(value) {
      const paid = await payer.pay(readSolanaOrder(value))
      return { ...paid }
    },
    async maker(value) {
      return { ...(await maker.answer(value)) }
    },
    async stop() {
      endSockets()
      await Promise.all([closeServer(http), closeServer(beside)])
      await chain.stop()
    },
  }
}
