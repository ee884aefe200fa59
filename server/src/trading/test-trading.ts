import { baseUnits } from '@florin/wire/amount.ts'
import type { Block, Chain, Outcome, TokenTransfer, TransactionHash } from '../chains/chain.ts'
import type { Venue } from '../chains/venue.ts'
import { findWallets } from '../custody/store.ts'
import type { Wallet } from '../custody/wallet.ts'
import { findInBooks } from '../doctor/books-store.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { openPaymentBook } from '../payments/advance.ts'
import { openCarrier } from '../payments/carrier.ts'
import { openDepositBook } from '../payments/deposits.ts'
import { openSendQueue } from '../payments/send-queue.ts'
import { makeWallet, testNetwork, TOKEN } from '../payments/test-lane.ts'
import { openWaits } from '../payments/wait.ts'
import type { Carrier } from '../sender/carrier.ts'
import { closeFinalBlocks } from '../sender/finalize.ts'
import { followBlocks } from '../sender/follow.ts'
import { beginFollowing, takeLease } from '../sender/follower-store.ts'
import { markDead } from '../sender/place-store.ts'
import { readUntold } from '../sender/read-untold.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { Store } from '../store/postgres.ts'
import { openTradeBook } from './book.ts'
import { executeTrade } from './execute.ts'
import type { TradeOrder, TradeResult } from './execute.ts'
import { readStandings } from './read-standings.ts'
import type { Standing } from './read-standings.ts'
import { assetOf } from './tokens.ts'
import { nativeOf } from '../kernel/network-config.ts'
import { signed } from './test-venue.ts'
import type { Trade } from './trade.ts'

const ONE_MINUTE = 60_000

/** What a transaction of ours did in its block. */
export interface Happened {
  readonly hash: TransactionHash
  readonly succeeded?: boolean
  readonly fee?: bigint
  readonly priorityFee?: bigint
  readonly transfers?: readonly TokenTransfer[]
}

/** One wallet that trades, on the real database, over a chain that a test writes down. */
export interface TradingScene {
  readonly wallet: Wallet
  readonly chain: Chain
  /** Hashes that went to the nodes, in their order. */
  readonly sent: readonly TransactionHash[]
  trade(fields?: Partial<TradeOrder>): Promise<TradeResult>
  /** Writes the next block, or one in place of everything from `from` on, and follows it. */
  mine(happened: readonly Happened[], from?: bigint): Promise<void>
  finalize(): Promise<void>
  /** The bytes of a place have outlived their lifetime, and nobody can make them anew. */
  expire(hash: TransactionHash): Promise<void>
  /** Hashes of which no node tells what they moved. */
  readonly untold: Set<TransactionHash>
  /** Asks again for what no node told. */
  ask(): Promise<void>
  standing(trade: Trade): Promise<Standing>
  /** Of one asset, in base units. */
  books(asset: string): Promise<{ available: bigint; held: bigint }>
  /** Throws what the doctor finds, if anything. */
  expectSound(): Promise<void>
  tip(): Block
}

export async function openTradingScene(
  store: Store,
  chainId: number,
  venuesOf: (tip: () => Block) => readonly Venue[],
  /** The first block that is followed, where a venue of its own says which one its balances are of. */
  first: Pick<Block, 'height' | 'hash'> = { height: 100n, hash: '0-100' },
): Promise<TradingScene> {
  const config = testNetwork(chainId)
  const { network } = config
  const wallet = await makeWallet(store)
  const log = openLog('silent')
  const killPoint = () => undefined
  const sent: TransactionHash[] = []
  const outcomes = new Map<TransactionHash, Outcome>()
  const untold = new Set<TransactionHash>()
  const blocks: Block[] = []
  let forks = 0
  const tip = () => {
    const last = blocks.at(-1)
    if (last === undefined) throw new Error('no block')
    return last
  }
  const addBlock = (hashes: readonly TransactionHash[]) => {
    const height = (blocks.at(-1)?.height ?? first.height - 1n) + 1n
    blocks.push({
      height,
      hash: blocks.length === 0 && forks === 0 ? first.hash : `${forks}-${height}`,
      parentHash: blocks.at(-1)?.hash ?? '',
      timeMilliseconds: 0,
      transactionHashes: hashes,
    })
  }
  addBlock([])
  const chain = scriptedChain(config, {
    sign: async (terms, nonce) => signed(terms, nonce),
    blocks: async (from, count) => blocks.filter(({ height }) => height >= from).slice(0, count),
    head: async () => ({ ...tip(), finalizedHeight: 0n }),
    outcomes: async (hashes) =>
      hashes.map((hash): Outcome => {
        const outcome = outcomes.get(hash) ?? { state: 'absent' }
        if (outcome.state !== 'mined' || !untold.has(hash)) return outcome
        return { state: 'untold', height: outcome.height, blockHash: outcome.blockHash }
      }),
    renewal: {
      kind: 'lifetime',
      lifetimeOf: () => 1_000_000n,
      lookBack: async () => [],
      deadFrom: async () => [],
    },
    balances: async () => ({ height: tip().height, amounts: [0n] }),
    venues: venuesOf(tip),
  })
  const chains = new Map([[network, chain]])
  const trades = openTradeBook({ chains, log })
  const book = openPaymentBook({ clock: systemClock, trades })
  const deposits = openDepositBook({ clock: systemClock, random: systemRandom })
  const queue = openSendQueue({
    ...{ store, log, killPoint, trades, clock: systemClock },
    signerFor: async ({ address }) => ({
      address,
      sign: async () => new Uint8Array(),
      erase: () => {},
    }),
    broadcaster: {
      broadcast: async (_, committed) => {
        sent.push(...committed.map(({ hash }) => hash))
        return []
      },
    },
  })
  const waits = openWaits({
    store,
    clock: systemClock,
    listener: { onChanged: () => () => undefined, stop: async () => undefined },
  })
  const carrier: Carrier = openCarrier({
    ...{ store, queue, waits, clock: systemClock, random: systemRandom, killPoint },
    walletOf: async (asked) => (await findWallets(store, [asked]))[0],
  })
  const begin = tip()
  await store.inTransaction('service', (tx) => beginFollowing(tx, network, begin))
  const taken = await store.inTransaction('service', (tx) =>
    takeLease(tx, network, 'test', ONE_MINUTE),
  )
  if (taken === undefined) throw new Error('no lease')
  let cursor = taken
  const token = { mint: TOKEN as Trade['token']['mint'], decimals: 6, symbol: 'USDC' }
  const never = new AbortController().signal
  return {
    wallet,
    chain,
    sent,
    tip,
    untold,
    ask: () => readUntold({ chain, store, book, deposits, trades, log, killPoint }, cursor),
    trade: (fields = {}) => {
      const side = fields.side ?? 'buy'
      return executeTrade(
        { store, carrier, random: systemRandom },
        {
          requestId: newId(systemRandom, 'req'),
          accountId: wallet.accountId,
          chain,
          walletAddress: wallet.address,
          walletField: 'publicKey',
          side,
          token,
          asset: side === 'buy' ? nativeOf(chain.config) : assetOf(token),
          wanted: { kind: 'units', units: 1_000n },
          slippage: '10',
          priorityFee: null,
          operation: 'buyToken',
          once: null,
          waitFor: 'submitted',
          waitUntilMilliseconds: 0,
          clientGone: never,
          waitOver: never,
          demandAdmitted: async () => undefined,
          ...fields,
        },
      )
    },
    mine: async (happened, from) => {
      if (from !== undefined) {
        forks += 1
        while (tip().height >= from) blocks.pop()
        outcomes.clear()
      }
      addBlock(happened.map(({ hash }) => hash))
      const { height, hash: blockHash } = tip()
      for (const each of happened) {
        const { hash, succeeded = true, fee = 7n, transfers = [], priorityFee } = each
        const priority = priorityFee === undefined ? {} : { priorityFeePaid: priorityFee }
        const feePaid = baseUnits(fee)
        const place = { height, blockHash, succeeded }
        outcomes.set(hash, { state: 'mined', ...place, feePaid, transfers, ...priority })
      }
      let before: typeof cursor
      do {
        before = cursor
        cursor = await followBlocks({ chain, store, book, deposits, log, killPoint }, cursor)
      } while (cursor.blockHash !== before.blockHash)
    },
    finalize: async () => {
      const { height, hash } = tip()
      const head = { height, hash, finalizedHeight: height }
      cursor = await closeFinalBlocks({ store, book, deposits, killPoint }, cursor, [head])
    },
    expire: (hash) =>
      store.inTransaction('service', async (tx) => {
        const [row] = await tx.query<{ id: string }>(
          'test_place',
          'select chain_transaction_id as id from attempts where hash = $1',
          [hash],
        )
        const paymentIds = (await markDead(tx, row?.id ?? '')) ?? []
        await book.dead(tx, [{ network, reason: 'authorization_expired', paymentIds }])
      }),
    standing: async (trade) => {
      const [standing] = await readStandings({ store, carrier }, wallet.accountId, [trade])
      if (standing === undefined) throw new Error('no such trade')
      return standing
    },
    books: async (asset) => {
      const rows = await store.query<{ kind: string; balance: string }>(
        'test_books',
        `select kind, balance from ledger_accounts where wallet_id = $1 and asset = $2`,
        [wallet.id, asset],
      )
      const of = (kind: string) => BigInt(rows.find((row) => row.kind === kind)?.balance ?? 0)
      return { available: of('available'), held: of('held') }
    },
    expectSound: async () => {
      const found = await store.inTransaction('service', (tx) => findInBooks(tx))
      if (found.length > 0) throw new Error(`invariants are broken: ${JSON.stringify(found)}`)
    },
  }
}
