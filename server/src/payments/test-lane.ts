import { createHash } from 'node:crypto'
import { baseUnits } from '@florin/wire/amount.ts'
import { sandboxNetwork } from '@florin/cli/up/sandbox-network.ts'
import type { Address, Chain, Draft, Terms, TransactionHash } from '../chains/chain.ts'
import { readWallet } from '../custody/store.ts'
import type { Wallet } from '../custody/wallet.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import { systemRandom } from '../kernel/random.ts'
import { closeFinalBlocks } from '../sender/finalize.ts'
import { ChainMoved, followBlocks } from '../sender/follow.ts'
import { beginFollowing, LeaseLost, takeLease } from '../sender/follower-store.ts'
import type { Cursor } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { Store } from '../store/postgres.ts'
import { openPaymentBook } from './advance.ts'
import { openDepositBook } from './deposits.ts'
import { commitSends } from './commit-sends.ts'
import type { SendDecision } from './commit-sends.ts'
import type { ModelBlock, ModelChain } from './test-model-chain.ts'
import type { PreparedSend } from './prepared-send.ts'

export const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
export const RECIPIENT = '0x00000000000000000000000000000000000000bb' as Address
const LEASE_MILLISECONDS = 60_000

/** What a test wants sent, drafted at a block of the model chain. */
export interface TestOrder {
  readonly asset: string
  readonly amount: bigint
  readonly feeCeiling: bigint
  readonly at: ModelBlock
  /** The balance was read while the head moved. */
  readonly torn?: boolean
  readonly once?: PreparedSend['once']
}

/** One wallet of an account of its own with its lane, on the real database and a model chain. */
export interface TestLane {
  readonly chain: Chain
  readonly wallet: Wallet
  prepare(order: TestOrder): PreparedSend
  /** The real signing transaction; what it commits goes to the model's pool. */
  send(sends: readonly PreparedSend[]): Promise<readonly SendDecision[]>
  /** The real follower reads at most this many blocks on. `looked` runs between its look for what is ours in them and the commit of what it found. */
  follow(blocksMax: number, looked?: () => Promise<void>): Promise<Cursor>
  /** The real finality of everything up to a height. */
  finalize(height: bigint): Promise<void>
}

/** An account and a wallet without a usable key. */
export async function makeWallet(store: Store, accountName = 'test'): Promise<Wallet> {
  const accountId = newId(systemRandom, 'acct')
  const walletId = newId(systemRandom, 'wal')
  const address = `0x${Buffer.from(systemRandom.bytes(20)).toString('hex')}`
  return store.inTransaction(accountId, async (tx) => {
    await tx.query('test_account', 'insert into accounts (id, name) values ($1, $2)', [
      accountId,
      accountName,
    ])
    await tx.query(
      'test_wallet',
      `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
       values ($1, $2, 'evm', $3, '', '')`,
      [walletId, accountId, address],
    )
    const wallet = await readWallet(tx, accountId, walletId)
    if (wallet === undefined) throw new Error('no wallet')
    return wallet
  })
}

/** The sandbox's EVM network under another chain id, so that lanes of one database do not meet. */
export function testNetwork(chainId: number) {
  return sandboxNetwork({
    instance: 'test',
    evm: { network: `eip155:${chainId}`, rpcUrl: 'http://127.0.0.1:1', usdc: TOKEN },
  })
}

export async function openTestLane(
  store: Store,
  model: ModelChain,
  chainId: number,
  family: Partial<Pick<Chain, 'renewal' | 'arrivals'>> = {},
  /** Left out, the sandbox's. */
  assets?: readonly AssetProfile[],
): Promise<TestLane> {
  const config = { ...testNetwork(chainId), ...(assets === undefined ? {} : { assets }) }
  const { network } = config
  const wallet = await makeWallet(store)
  const log = openLog('silent')
  const killPoint = () => undefined
  const book = openPaymentBook({ clock: systemClock })
  const deposits = openDepositBook({ clock: systemClock, random: systemRandom })
  let top = 0n
  const chain = scriptedChain(config, {
    sign: async (terms, nonce) => signTest(terms, nonce, wallet.address),
    blocks: async (from, count) => model.blocks(from, count, top),
    outcomes: async (hashes) => hashes.map((hash) => model.outcome(hash)),
    head: async () => {
      const { height, hash } = model.tip()
      return { height, hash, finalizedHeight: height }
    },
    ...family,
  })
  const first = model.tip()
  await store.inTransaction('service', (tx) => beginFollowing(tx, network, first))
  const taken = await store.inTransaction('service', (tx) =>
    takeLease(tx, network, 'test', LEASE_MILLISECONDS),
  )
  if (taken === undefined) throw new Error('no lease')
  let cursor = taken
  /** As before each round of a driver that was told that its lease is another's. */
  const leaseAnew = async () => {
    const anew = await store.inTransaction('service', (tx) =>
      takeLease(tx, network, 'test', LEASE_MILLISECONDS),
    )
    if (anew !== undefined) cursor = { ...cursor, fence: anew.fence }
  }
  const assetOf = (asset: string): AssetProfile => {
    const profile = config.assets.find((candidate) => candidate.asset === asset)
    if (profile === undefined) throw new Error('no such asset')
    return profile
  }
  return {
    chain,
    wallet,
    prepare: ({ asset, amount, feeCeiling, at, torn = false, once = null }) => {
      const paymentId = newId(systemRandom, 'pay')
      return {
        paymentId,
        asset: assetOf(asset),
        recipient: RECIPIENT,
        amount: baseUnits(amount),
        priorityFee: null,
        commitment: systemRandom.bytes(32),
        resource: null,
        metadataText: null,
        deadlineMilliseconds: systemClock.nowMilliseconds() + LEASE_MILLISECONDS,
        once,
        draft: draftAt(at, { asset, feeCeiling, paymentId, torn }),
      }
    },
    send: async (sends) => {
      const decisions = await store.inTransaction(wallet.accountId, (tx) =>
        commitSends(
          tx,
          {
            chain,
            wallet,
            signer: { address: wallet.address, sign: async () => new Uint8Array() },
            nowMilliseconds: systemClock.nowMilliseconds(),
            killPoint,
          },
          sends,
        ),
      )
      for (const decision of decisions) {
        if (decision.kind !== 'committed') continue
        const { payment, signed } = decision
        const { asset, amount } = payment
        const { nonce } = JSON.parse(Buffer.from(signed.raw).toString()) as { nonce: string }
        model.pool({
          hash: signed.hash,
          nonce: BigInt(nonce),
          asset,
          amount,
          feeCeiling: payment.feeCeiling ?? 0n,
          transfer: { asset, from: payment.sender, to: payment.recipient, amount },
        })
      }
      return decisions
    },
    follow: async (blocksMax, looked) => {
      const tip = model.tip().height
      const wanted = cursor.height + BigInt(blocksMax)
      top = wanted < tip ? wanted : tip
      const looking: Store = {
        ...store,
        query: async <Row extends object>(...asked: Parameters<Store['query']>) => {
          const rows = await store.query<Row>(...asked)
          if (asked[0] === 'transactions_match') await looked?.()
          return rows
        },
      }
      await leaseAnew()
      try {
        cursor = await followBlocks(
          { chain, store: looking, book, deposits, log, killPoint },
          cursor,
        )
      } catch (error) {
        // A round that is dropped.
        if (!(error instanceof ChainMoved) && !(error instanceof LeaseLost)) throw error
      }
      return cursor
    },
    finalize: async (height) => {
      await leaseAnew()
      const head = { height: cursor.height, hash: cursor.blockHash, finalizedHeight: height }
      // Whoever follows a network that was halted takes its lease anew.
      cursor = { ...cursor, haltedReason: null }
      cursor = await closeFinalBlocks({ store, book, deposits, killPoint }, cursor, [head])
    },
  }
}

/** Bytes and a hash that tell nonce and terms apart. */
export function signTest(terms: Terms, nonce: bigint, address: string) {
  const text = JSON.stringify({ nonce: nonce.toString(), terms, address })
  const hash = `0x${createHash('sha256').update(text).digest('hex')}` as TransactionHash
  return { raw: Buffer.from(text), hash }
}

/** What a node would say of the wallet at a block. */
export function draftAt(
  { balances, height, hash, nonce }: ModelBlock,
  {
    asset,
    feeCeiling,
    paymentId,
    torn = false,
  }: { asset: string; feeCeiling: bigint; paymentId: string; torn?: boolean },
): Draft {
  return {
    terms: JSON.parse(JSON.stringify({ to: RECIPIENT, value: '0', data: paymentId })) as Terms,
    feeCeiling: baseUnits(feeCeiling),
    carriesCommitment: true,
    balances: {
      native: balances.get('native') ?? 0n,
      asset: balances.get(asset) ?? 0n,
      height,
      blockHash: torn ? null : hash,
    },
    laneLatest: nonce,
  }
}
