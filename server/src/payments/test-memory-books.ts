import { createHash } from 'node:crypto'
import { baseUnits } from '@florin/wire/amount.ts'
import { expect } from 'vitest'
import type { Address, TransactionHash } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { LINE_KINDS } from '../ledger/entry.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { Tx } from '../store/postgres.ts'
import { decideSends } from './decide-sends.ts'
import type { PreparedSend } from './prepared-send.ts'
import { draftAt, RECIPIENT, testNetwork, TOKEN } from './test-lane.ts'
import type { TestOrder } from './test-lane.ts'
import { ancestry, inclusion } from './test-model-chain.ts'
import type { ModelBlock, ModelChain } from './test-model-chain.ts'

/** What is asked: the service's own decisions and books, kept somewhere. */
export interface Subject {
  decide(orders: readonly TestOrder[]): Promise<readonly Decision[]>
  follow(blocksMax: number): Promise<void>
  finalize(height: bigint): Promise<void>
  followedTip(): ModelBlock
  finalHeight(): bigint
  /** All money ever booked as found on chain, of one asset. */
  booked(asset: string): Promise<bigint>
}

export interface Decision {
  readonly kind: 'allowed' | 'stale' | 'short'
  readonly hash?: TransactionHash
}

/** A payment that was allowed, as the model remembers it. */
export interface Allowed {
  readonly asset: string
  readonly amount: bigint
  readonly feeCeiling: bigint
  readonly hash: TransactionHash
}

export const costOf = (payment: Omit<Allowed, 'hash'>, of: string, fee: bigint) =>
  (payment.asset === of ? payment.amount : 0n) + (of === 'native' ? fee : 0n)
export const ASSETS = ['native', TOKEN]
const SENDER = '0x00000000000000000000000000000000000000aa' as Address

/** Books in memory around the real decisions, with the rules of the ledger and the follower. */
export function openMemoryBooks(model: ModelChain): Subject {
  const config = testNetwork(84532)
  const wallet: Wallet = {
    id: newId(systemRandom, 'wal'),
    accountId: newId(systemRandom, 'acct'),
    family: 'evm',
    address: SENDER,
    label: null,
    sealedDataKey: new Uint8Array(),
    sealedPrivateKey: new Uint8Array(),
    sandboxInstance: null,
    createdAtMilliseconds: 0,
  }
  const books = new Map(ASSETS.map((of) => [of, { available: 0n, held: 0n }]))
  const funded = new Map<string, bigint>()
  const payments: (Allowed & { posted?: { height: bigint; amount: bigint; fee: bigint } })[] = []
  let followed = model.tip()
  let finalHeight = followed.height
  const move = (of: string, available: bigint, held: bigint) => {
    const book = books.get(of) ?? { available: 0n, held: 0n }
    books.set(of, { available: book.available + available, held: book.held + held })
  }
  const inclusionOf = ({ hash }: Allowed) => inclusion(followed, hash)
  const minedRows = (postedAbove: bigint) =>
    payments.flatMap((payment) => {
      const { posted, feeCeiling } = payment
      const where = posted === undefined ? inclusionOf(payment) : undefined
      const facts =
        posted !== undefined && posted.height > postedAbove
          ? { ...posted, posted: true }
          : where?.succeeded
            ? { height: where.height, amount: payment.amount, fee: where.feePaid, posted: false }
            : undefined
      if (facts === undefined) return []
      return [
        {
          block_height: `${facts.height}`,
          asset: payment.asset,
          amount: `${facts.amount}`,
          fee_ceiling: `${feeCeiling}`,
          fee_paid: `${facts.fee}`,
          posted: facts.posted,
        },
      ]
    })
  const answers: Record<string, (values: readonly unknown[]) => object[]> = {
    policies_lock: () => [],
    policies_reserve: () => [],
    payments_mined_spends: ([, , above]) => minedRows(BigInt(String(above))),
    ledger_lock: ([places]) =>
      (JSON.parse(String(places)) as { asset: string }[]).flatMap((place) =>
        LINE_KINDS.map((kind) => ({
          asset: place.asset,
          kind,
          balance: `${kind === 'available' || kind === 'held' ? books.get(place.asset)?.[kind] : 0n}`,
        })),
      ),
    follower_chain: ([, heights]) => {
      const head = { height: `${followed.height}`, tip: followed.hash }
      const known = ancestry(followed).filter(({ height }) =>
        (heights as string[]).includes(`${height}`),
      )
      if (known.length === 0) return [{ ...head, at: null, block_hash: null }]
      return known.map(({ height, hash }) => ({ ...head, at: `${height}`, block_hash: hash }))
    },
  }
  const tx: Tx = {
    query: async <Row extends object>(
      name: string,
      _text: string,
      values: readonly unknown[] = [],
    ) => {
      const answer = answers[name]
      if (answer === undefined) throw new Error(`the books in memory do not know ${name}`)
      return answer(values) as Row[]
    },
  }
  return {
    followedTip: () => followed,
    finalHeight: () => finalHeight,
    booked: async (of) => funded.get(of) ?? 0n,
    follow: async (blocksMax) => {
      const common = ancestry(followed).find(
        ({ hash, height }) => model.blockAt(height)?.hash === hash,
      )
      if (common === undefined) throw new Error('no common block')
      if (common.hash !== followed.hash) {
        followed = common
        return
      }
      const wanted = followed.height + BigInt(blocksMax)
      const tip = model.tip()
      followed = model.blockAt(wanted) ?? tip
    },
    finalize: async (height) => {
      finalHeight = height
      for (const payment of payments) {
        const where = inclusionOf(payment)
        if (payment.posted !== undefined || where === undefined || where.height > height) continue
        const fee = where.feePaid
        const amount = where.succeeded ? payment.amount : 0n
        payment.posted = { height: where.height, amount, fee }
        for (const of of ASSETS) {
          const held = costOf(payment, of, payment.feeCeiling)
          move(of, held - costOf({ ...payment, amount }, of, fee), -held)
        }
      }
    },
    decide: async (orders) => {
      const sends = orders.map((wanted): PreparedSend => {
        const paymentId = newId(systemRandom, 'pay')
        const profile = config.assets.find((candidate) => candidate.asset === wanted.asset)
        if (profile === undefined) throw new Error('no such asset')
        return {
          paymentId,
          asset: profile,
          amount: baseUnits(wanted.amount),
          draft: draftAt(wanted.at, { ...wanted, paymentId }),
          recipient: RECIPIENT,
          priorityFee: null,
          commitment: new Uint8Array(32),
          resource: null,
          metadataText: null,
          deadlineMilliseconds: 0,
          once: null,
        }
      })
      const { refused, funding } = await decideSends(
        tx,
        { chain: scriptedChain(config, {}), wallet, nowMilliseconds: 0 },
        sends,
      )
      for (const { asset: of, amount } of funding) {
        funded.set(of, (funded.get(of) ?? 0n) + amount)
        move(of, amount, 0n)
      }
      return sends.map((send, index) => {
        const refusal = refused.get(send.paymentId)
        const wanted = orders[index]
        if (refusal?.kind === 'policy' || wanted === undefined)
          throw new Error('there is no policy')
        if (refusal !== undefined) return { kind: refusal.kind }
        const digest = createHash('sha256').update(send.paymentId).digest('hex')
        const hash = `0x${digest}` as TransactionHash
        const { amount, feeCeiling } = wanted
        const payment = { asset: wanted.asset, amount, feeCeiling, hash }
        for (const of of ASSETS) {
          const held = costOf(payment, of, feeCeiling)
          move(of, -held, held)
          expect(books.get(of)?.available).toBeGreaterThanOrEqual(0n)
        }
        model.pool({ ...payment, nonce: BigInt(payments.length), transfer: NO_TRANSFER })
        payments.push(payment)
        return { kind: 'allowed', hash }
      })
    },
  }
}

const NO_TRANSFER = { asset: TOKEN, from: RECIPIENT, to: RECIPIENT, amount: 0n }
