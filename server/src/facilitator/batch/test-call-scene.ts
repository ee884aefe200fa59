import { baseUnits } from '@florin/wire/amount.ts'
import type {
  BatchOrder,
  BatchResult,
  ChannelState,
  Elsewhere,
  EscrowMoves,
} from '../../chains/batch.ts'
import type { Address, Terms, TransactionHash } from '../../chains/chain.ts'
import type { OpenSigner } from '../../custody/signer.ts'
import { receiverAccount } from '../../custody/receiver-store.ts'
import type { Wallet } from '../../custody/wallet.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { AccountId } from '../../kernel/id.ts'
import { systemRandom } from '../../kernel/random.ts'
import type { KillPoint } from '../../kernel/kill-point.ts'
import { signTest, testNetwork } from '../../payments/test-lane.ts'
import { beginFollowing } from '../../sender/follower-store.ts'
import { scriptedChain } from '../../sender/test-chain.ts'
import { storeTestWallet } from '../../store/test-wallet.ts'
import { write } from '../../store/test-write.ts'
import type { Store } from '../../store/postgres.ts'
import { openCallLooks } from '../escrow-looks-store.ts'
import { verifyBatch } from './verify-batch.ts'
import type { VerifyBatchDeps } from './verify-batch.ts'
import { settleBatch } from './settle-batch.ts'
import type { BatchSettled, SettleBatchDeps } from './settle-batch.ts'

export const PAYER = '0x00000000000000000000000000000000000000a1' as Address
export const RECEIVER = '0x00000000000000000000000000000000000000a2' as Address
export const FEE = 1_000n
const HEIGHT = 100n
export const CHANNEL_ID = `0x${'c1'.repeat(32)}`
/** The block in which `ends` puts everything. */
export const BLOCK_HASH = '0xbb'
export const NO_MOVES: EscrowMoves = {
  ...{ blockHash: BLOCK_HASH, deposited: 0n, claimed: 0n, settled: 0n, refunded: 0n },
}
const CHANNEL: ChannelState = {
  ...{ channelId: '0x', balance: 0n, totalClaimed: 0n },
  ...{ withdrawRequestedAtSeconds: 0n, refundNonce: 0n },
}

/** What the chain of a scene says of the one order that is read there. */
export interface Script {
  readonly operation: BatchOrder['operation']
  key: string | undefined
  readonly subject?: string
  content: string
  deposited: bigint | null
  readonly payer: Address | null
  readonly receivers: readonly Address[]
  /** What a transaction did; thrown where it is an error. */
  resultOf: (hash: TransactionHash) => BatchResult
  /** What the logs of a transaction show; thrown where it is an error. */
  movedBy: (hash: TransactionHash) => EscrowMoves | Promise<EscrowMoves>
  readonly channelIds: readonly string[]
  prepare: () => Awaited<ReturnType<BatchOrder['prepare']>> | undefined
  /** Who else did it; thrown where it is an error. */
  elsewhere?: () => Elsewhere
  killAt: KillPoint | undefined
  /** What the payer calls it. */
  identifier?: string
  /** What the seller's terms say beside the usual. */
  readonly terms?: { readonly amount: string; readonly extra: Readonly<Record<string, unknown>> }
}

/** An account, one settling key on a network of its own, and an escrow that does what the script says. */
export async function callScene(store: Store, chainId: number, given: Partial<Script>) {
  const config = testNetwork(chainId)
  const { network } = config
  const asset = config.assets.find((known) => known.asset !== 'native')
  if (asset === undefined) throw new Error('no token')
  const { accountId } = await storeTestWallet(store)
  const settler = `0x${chainId.toString(16).padStart(40, '0')}` as Address
  await store.inTransaction('service', (tx) =>
    beginFollowing(tx, network, { height: HEIGHT, hash: '0xaa' }),
  )
  const script: Script = {
    ...{ operation: 'deposit', key: 'deposit:one', content: 'one', deposited: null },
    ...{ payer: null, receivers: [RECEIVER], killAt: undefined, prepare: () => undefined },
    resultOf: () => ({ amount: 5n, channel: null }),
    movedBy: () => NO_MOVES,
    channelIds: [CHANNEL_ID],
    ...given,
  }
  let drafts = 0
  const sent: TransactionHash[] = []
  const order = (): BatchOrder => ({
    ...{ operation: script.operation, payer: script.payer, receivers: script.receivers, asset },
    channelIds: script.channelIds,
    deposited: script.deposited === null ? null : baseUnits(script.deposited),
    content: script.content,
    ...(script.subject === undefined ? {} : { subject: script.subject }),
    check: async () => ({ ok: true, channel: CHANNEL }),
    key: async () =>
      script.key === undefined
        ? { ok: false, reason: 'invalid_batch_settlement_evm_nothing_to_settle' }
        : { ok: true, key: script.key },
    prepare: async () => {
      const terms = { to: 'escrow', value: '0', data: `${(drafts += 1)}` } as Partial<
        Record<string, string>
      > as Terms
      return (
        script.prepare() ?? {
          ok: true,
          draft: {
            ...{ terms, feeCeiling: baseUnits(FEE), feeExpected: baseUnits(FEE) },
            ...{ laneLatest: 0n, settlerBalance: 10n ** 18n },
          },
        }
      )
    },
    result: async (hash) => script.resultOf(hash),
    elsewhere: async () => script.elsewhere?.() ?? { kind: 'nowhere' },
  })
  const chain = scriptedChain(config, {
    batch: {
      isTaken: () => true,
      whatIsMissing: async () => undefined,
      read: () => ({ ok: true, order: order() }),
      moved: async (hash) => script.movedBy(hash),
    },
    parseAddress: (text) => text as Address,
    sign: async (terms, nonce) => signTest(terms, nonce, settler),
  })
  const wallet = { address: settler } as Partial<Wallet> as Wallet
  const signer: OpenSigner = {
    ...{ address: settler, sign: async () => new Uint8Array(), erase: () => undefined },
  }
  // Everything of a scene is in one moment, the worst of all schedules for what is told apart by time.
  const now = systemClock.nowMilliseconds()
  const clock = { ...systemClock, nowMilliseconds: () => now }
  const receiverOf: VerifyBatchDeps['receiverOf'] = ({ family, address }) =>
    receiverAccount(store, family, address)
  const deps: Partial<SettleBatchDeps> = {
    ...{ store, clock, chains: new Map([[network, chain]]) },
    lookAtCall: openCallLooks(store),
    killPoint: (point) => {
      if (script.killAt === point) throw new Error('killed')
    },
    // No payment of another scheme has a name here.
    records: {} as Partial<SettleBatchDeps['records']> as SettleBatchDeps['records'],
    ...{ signerFor: async () => signer, settlersOf: () => new Set() },
    random: systemRandom,
    settlers: { next: () => wallet } as Partial<
      SettleBatchDeps['settlers']
    > as SettleBatchDeps['settlers'],
    funds: { isLow: () => false, note: () => true, setAside: () => undefined } as Partial<
      SettleBatchDeps['funds']
    > as SettleBatchDeps['funds'],
    broadcaster: {
      broadcast: async (_, committed) => {
        for (const { hash } of committed) sent.push(hash)
        return []
      },
    },
  }
  const terms = {
    ...{ scheme: 'batch-settlement', network, asset: asset.asset, amount: '0', payTo: RECEIVER },
    ...{ maxTimeoutSeconds: 0, extra: {} },
    ...script.terms,
  }
  const present = () => ({
    paymentPayload: {
      ...{ x402Version: 2, accepted: terms, payload: {} },
      extensions: { 'payment-identifier': { info: { required: false, id: script.identifier } } },
    },
    paymentRequirements: terms,
  })
  return {
    ...{ accountId, config, script, sent, settler, chain, presented: present() },
    /** As one request does; it does not wait. */
    ask: (by: AccountId = accountId, key: string | null = null, body = 1) =>
      settleBatch(deps as SettleBatchDeps, {
        ...{
          accountId: by,
          presented: present(),
          requestId: `req_${'1'.repeat(22)}`,
          once: onceOf(key, body),
        },
        ...{ waitUntilMilliseconds: 0, over: new AbortController().signal },
      }),
    /** A transaction is in no block any more, as the follower writes it. */
    vanishes: (hash: TransactionHash | undefined) =>
      write(
        store,
        'test_vanishes',
        `update chain_transactions t set state = 'open', mined_hash = null, mined_height = null, mined_block_hash = null, succeeded = null, fee_paid = null
         from attempts a where a.chain_transaction_id = t.id and a.network = $1 and a.hash = $2`,
        [network, hash],
      ),
    /** It stands in another block by now. */
    moves: (hash: TransactionHash | undefined, blockHash: string) =>
      write(
        store,
        'test_moves',
        `update chain_transactions t set mined_block_hash = $3
         from attempts a where a.chain_transaction_id = t.id and a.network = $1 and a.hash = $2`,
        [network, hash, blockHash],
      ),
    verify: (by: AccountId) =>
      verifyBatch({ ...(deps as SettleBatchDeps), receiverOf }, by, present()),
    /** The chain has decided on a transaction, as the follower writes it. */
    ends: (
      hash: TransactionHash | undefined,
      state: 'mined' | 'final' | 'dead',
      succeeded: boolean,
      height = 1n,
    ) =>
      write(
        store,
        'test_ends',
        `update chain_transactions t set state = $3, mined_hash = case when $6 then $2 end, mined_height = case when $6 then $5::bigint end,
           mined_block_hash = case when $6 then '0xbb' end, succeeded = case when $6 then $4::boolean end, fee_paid = case when $6 then 1 end
         from attempts a where a.chain_transaction_id = t.id and a.network = $1 and a.hash = $2`,
        [network, hash, state, succeeded, height.toString(), state !== 'dead'],
      ),
  }
}

/** A scene with a deposit that has come to its end, and that nobody has heard of. */
export async function depositedScene(store: Store, chainId: number) {
  const scene = await callScene(store, chainId, {})
  const { kind } = await scene.ask()
  if (kind !== 'pending') throw new Error(`a deposit that is ${kind} before its block`)
  await scene.ends(scene.sent[0], 'final', true)
  return scene
}

/** The answer has reached nobody. */
export async function giveBack(settled: BatchSettled): Promise<void> {
  if (settled.kind === 'settled') await settled.giveBack?.()
}

function onceOf(key: string | null, body: number) {
  return key === null ? null : { key, fingerprint: new Uint8Array(32).fill(body) }
}
