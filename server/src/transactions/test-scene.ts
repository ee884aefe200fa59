import { baseUnits } from '@florin/wire/amount.ts'
import { sandboxNetwork, solanaSandboxNetwork } from '@florin/cli/up/sandbox-network.ts'
import { NATIVE_EFFECT_INDEX } from '../chains/chain.ts'
import type { Address, Block, Chain, TransactionHash, Verdict } from '../chains/chain.ts'
import type {
  Built,
  BuildOrder,
  Inspected,
  Preparation,
  SelfCustody,
  Sighting,
  TransactionSummary,
  Unreadable,
} from '../chains/self-custody.ts'
import { findInBooks } from '../doctor/books-store.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { openPaymentBook } from '../payments/advance.ts'
import { openBuiltRecords } from '../payments/built.ts'
import { openDepositBook } from '../payments/deposits.ts'
import type { ReceivedRecords } from '../facilitator/records.ts'
import type { PaymentRemark } from '../payments/payment.ts'
import { openReceivedRecords } from '../payments/received.ts'
import { openProofs } from '../payments/proof.ts'
import { findPayment } from '../payments/store.ts'
import { closeFinalBlocks } from '../sender/finalize.ts'
import { followBlocks } from '../sender/follow.ts'
import { beginFollowing, takeLease } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { Store } from '../store/postgres.ts'
import { openBuildQueue } from './build-queue.ts'
import { buildTransaction } from './build-transaction.ts'
import type { BuildRequest, BuildResult } from './build-transaction.ts'
import { openBuildBook } from './follow-builds.ts'
import { resendSubmissions } from './resend.ts'
import { watchBuilds } from './watch-builds.ts'
import { write } from '../store/test-write.ts'
import { noWaits } from '../payments/test-waits.ts'

export const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
export const SENDER = '0x00000000000000000000000000000000000000a1' as Address
export const RECIPIENT = '0x00000000000000000000000000000000000000a2' as Address
const [ONE_MINUTE, START] = [60_000, Date.UTC(2026, 8, 21)]

/** What the scripted chain says of the next builds. */
export interface Script {
  balances: { native: bigint; asset: bigint }
  nextNonce: bigint
  carriesCommitment: boolean
  /** How many places of every sender are used up in final blocks. */
  finalized: bigint
  /** Up to which block that is counted; left out, up to the newest. */
  finalizedHeight?: bigint
  /** Final heights in the unit of lifetimes, one per node. */
  finalHeights: readonly bigint[]
  lifetime: bigint
  verdict: Verdict
}

/** What a scripted transaction says, as JSON in place of a chain's own bytes. */
export interface Bytes {
  readonly sender: string
  readonly nonce: string | null
  readonly commitment: string
  readonly to: string
  readonly amount: string
  readonly blockhash: string
  /** Tells signed forms apart; left out before the signature. */
  readonly hash?: string
}

export function bytesOf(bytes: Bytes): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(bytes))
}

function inspected(text: string): Inspected | Unreadable {
  if (!text.startsWith('{')) return { ok: false, reason: 'is no transaction' }
  const bytes = JSON.parse(text) as Bytes
  const signer = bytes.hash === undefined ? null : (bytes.sender as Address)
  return {
    ok: true,
    format: 'eip1559-rlp',
    isSigned: signer !== null,
    hash: (bytes.hash ?? null) as TransactionHash | null,
    sender: signer,
    nonce: bytes.nonce === null ? null : BigInt(bytes.nonce),
    blockhash: bytes.blockhash,
    feeMax: 1n,
    proofKey: null,
    summary: {
      feePayer: signer,
      transfers: [
        { asset: 'native', from: signer, to: bytes.to as Address, amount: BigInt(bytes.amount) },
      ],
      commitments: bytes.commitment === '' ? [] : [bytes.commitment],
      createsAccounts: [],
      others: [],
    },
  }
}

/** Two accounts that build, on the real database, over a chain that a test writes down. */
export interface Scene {
  readonly family: 'evm' | 'solana'
  readonly accounts: readonly [AccountId, AccountId]
  readonly script: Script
  /** One line for each time that bytes were handed to the nodes: how many were stored by then. */
  readonly sent: readonly string[]
  /** How often the chain was asked for sightings. */
  asked(): number
  build(fields?: Partial<BuildRequest>): Promise<BuildResult>
  /** What a transaction that does exactly what was built looks like in its block. */
  paid(built: BuildResult, fields?: Partial<Sighting>): Sighting
  /** Reads blocks in place of everything from a height on; the first one holds the sightings. */
  mine(fork: string, from: number, count: number, ...sightings: readonly Sighting[]): Promise<void>
  finalize(height: number): Promise<void>
  /** Lets time pass. */
  later(milliseconds: number): void
  watch(): Promise<void>
  /** Sends submitted bytes again that are due. */
  resend(): Promise<void>
  record(built: BuildResult): Promise<Shown>
  /** Throws what the doctor finds, if anything. */
  expectSound(): Promise<void>
  readonly deps: {
    readonly store: Store
    readonly records: ReturnType<typeof openBuiltRecords>
    readonly received: ReceivedRecords
    readonly killPoint: () => undefined
    readonly clock: { nowMilliseconds(): number; sleep(): Promise<void> }
    readonly random: typeof systemRandom
  }
  readonly chain: Chain
}

export interface Shown {
  readonly status: string
  readonly remark: PaymentRemark['reason'] | null
  readonly hash: string | null
}

export async function openScene(store: Store, family: 'evm' | 'solana' = 'evm'): Promise<Scene> {
  const config =
    family === 'evm'
      ? sandboxNetwork({
          instance: 'test',
          evm: { network: 'eip155:84532', rpcUrl: 'http://127.0.0.1:1', usdc: TOKEN },
        })
      : solanaSandboxNetwork({
          instance: 'test',
          solana: {
            network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
            rpcUrl: 'http://127.0.0.1:1',
            wsUrl: 'ws://127.0.0.1:1',
            usdc: TOKEN,
          },
        })
  const { network } = config
  const accounts = [newId(systemRandom, 'acct'), newId(systemRandom, 'acct')] as const
  const insert = `insert into accounts (id, name) values ($1, 'test')`
  for (const id of accounts) await write(store, 'test_account', insert, [id])
  const script: Script = {
    balances: { native: 10n ** 18n, asset: 10n ** 9n },
    nextNonce: 7n,
    carriesCommitment: true,
    finalized: 0n,
    finalHeights: [0n],
    lifetime: 150n,
    verdict: { kind: 'accepted' },
  }
  const blocks: Block[] = []
  const tip = () => blocks.at(-1)?.height ?? 100n
  const reachOf = (lifetime: bigint) => ({ lifetime, height: tip() })
  const add = (fork: string, height: number) =>
    blocks.push({
      height: BigInt(height),
      hash: `${fork}${height}`,
      parentHash: blocks.at(-1)?.hash ?? '',
      timeMilliseconds: 0,
      transactionHashes: [],
    })
  add('a', 100)
  const sent: string[] = []
  let shown: readonly Sighting[] = []
  let asked = 0
  const selfCustody: Partial<SelfCustody> = {
    prepare: async (order) => ({ ok: true, preparation: preparationOf(order, script, family) }),
    inspect: (bytes) => inspected(new TextDecoder().decode(bytes)),
    sightings: async (read, watched) => {
      asked += 1
      const inside = shown.filter(({ blockHash }) => read.some(({ hash }) => hash === blockHash))
      const seen = {
        senders: inside.map(({ sender }) => sender),
        commitments: inside.flatMap(({ commitments }) => commitments),
      }
      const { senders } = await watched(seen)
      return inside.filter(({ sender }) => senders.has(sender))
    },
  }
  const chain = scriptedChain(config, {
    parseAddress: (text) => text as Address,
    addressBytes: (address) => new TextEncoder().encode(address),
    blocks: async (from, count) => blocks.filter(({ height }) => height >= from).slice(0, count),
    head: async () => {
      const last = blocks.at(-1)
      if (last === undefined) throw new Error('no block')
      return { height: last.height, hash: last.hash, finalizedHeight: 100n }
    },
    broadcast: async (raws) => {
      const stored = await store.query('test_submitted', 'select from submissions', [])
      sent.push(...raws.map(() => `${stored.length} stored`))
      return raws.map(() => script.verdict)
    },
    lanePosition: async () => ({
      latest: script.finalized,
      finalized: script.finalized,
      finalizedHeight: script.finalizedHeight ?? tip(),
    }),
    renewal:
      family === 'evm'
        ? { kind: 'fee' }
        : {
            kind: 'lifetime',
            lifetimeOf: () => 0n,
            lookBack: async (hashes) => hashes.map(() => []),
            deadFrom: async (asked) => asked.map(tip),
            finalHeights: async () => script.finalHeights.map(reachOf),
          },
    selfCustody: selfCustody as SelfCustody,
  })
  let passed = 0
  const clock = { nowMilliseconds: () => START + passed, sleep: async () => undefined }
  const proofs = openProofs({
    proofKey: new SecretBytes(systemRandom.bytes(32)),
    chains: new Map([[network, chain]]),
  })
  const records = openBuiltRecords({ clock, proofs })
  const received = openReceivedRecords({
    clock,
    waits: noWaits,
    networks: new Map([[network, config]]),
    inTransaction: (scope, work) => store.inTransaction(scope, work),
  })
  const killPoint = () => undefined
  const queue = openBuildQueue({ store, records, clock, killPoint })
  const deps = { store, records, received, clock, random: systemRandom, killPoint }
  const follow = {
    chain,
    store,
    book: openPaymentBook({ clock }),
    deposits: openDepositBook({ clock, random: systemRandom }),
    builds: openBuildBook({ records, received, clock }),
    log: openLog('silent'),
    killPoint,
  }
  await store.inTransaction('service', (tx) =>
    beginFollowing(tx, network, { height: 100n, hash: 'a100' }),
  )
  const taken = await store.inTransaction('service', (tx) =>
    takeLease(tx, network, 'one', ONE_MINUTE),
  )
  if (taken === undefined) throw new Error('no lease')
  let cursor = taken
  return {
    family,
    accounts,
    script,
    sent,
    deps,
    chain,
    asked: () => asked,
    build: (fields = {}) => {
      const asset = config.assets.find((each) => each.asset === 'native')
      if (asset === undefined) throw new Error('no native asset')
      return buildTransaction(
        { ...deps, queue },
        {
          accountId: accounts[0],
          chain,
          sender: SENDER,
          recipient: RECIPIENT,
          asset,
          amount: baseUnits(5n),
          priorityFee: null,
          resource: null,
          metadataText: null,
          once: null,
          ...fields,
        },
      )
    },
    paid: ({ build }, fields = {}) => ({
      transactionHash: `0x${build.paymentId}` as TransactionHash,
      height: 101n,
      blockHash: 'a101',
      succeeded: true,
      sender: build.sender,
      nonce: build.nonce,
      commitments: build.commitment === null ? [] : [build.commitment],
      transfers: [
        {
          asset: build.asset,
          from: build.sender,
          to: build.recipient,
          amount: build.amount,
          effectIndex: NATIVE_EFFECT_INDEX,
        },
      ],
      isPlain: build.commitment !== null,
      feePaid: baseUnits(3n),
      proofKey: null,
      ...fields,
    }),
    mine: async (fork, from, count, ...sightings) => {
      while ((blocks.at(-1)?.height ?? 0n) >= BigInt(from)) blocks.pop()
      for (let height = from; height < from + count; height += 1) add(fork, height)
      const height = BigInt(from)
      shown = sightings.map((each) => ({ ...each, height, blockHash: `${fork}${from}` }))
      let before: typeof cursor
      do {
        before = cursor
        cursor = await followBlocks(follow, cursor)
      } while (cursor.blockHash !== before.blockHash)
    },
    finalize: async (height) => {
      const head = {
        height: cursor.height,
        hash: cursor.blockHash,
        finalizedHeight: BigInt(height),
      }
      cursor = await closeFinalBlocks(follow, cursor, [head])
    },
    later: (milliseconds) => {
      passed += milliseconds
    },
    watch: () => watchBuilds({ store, clock, received }, chain),
    resend: () => resendSubmissions({ store, clock }, chain),
    record: async ({ build: { accountId, paymentId } }) => {
      const payment = await store.inTransaction(accountId, (tx) =>
        findPayment(tx, accountId, paymentId),
      )
      if (payment === undefined) throw new Error('no payment')
      return {
        status: payment.status,
        remark: payment.remark?.reason ?? null,
        hash: payment.transactionHash,
      }
    },
    expectSound: async () => {
      const found = await store.inTransaction('service', (tx) => findInBooks(tx))
      if (found.length > 0) throw new Error(`invariants are broken: ${JSON.stringify(found)}`)
    },
  }
}

function preparationOf(
  { sender, recipient, asset, amount, commitment }: BuildOrder,
  script: Script,
  family: Scene['family'],
): Preparation {
  const fee = { max: 10n, priority: 1n, accountRent: 0n }
  return {
    balances: script.balances,
    fee,
    build: (taken): Built => {
      let nonce = script.nextNonce
      while (taken.includes(nonce)) nonce += 1n
      const hex = Buffer.from(commitment).toString('hex')
      const summary: TransactionSummary = {
        feePayer: sender,
        transfers: [{ asset: asset.asset, from: sender, to: recipient, amount }],
        commitments: script.carriesCommitment ? [hex] : [],
        createsAccounts: [],
        others: [],
      }
      return {
        transaction: bytesOf({
          sender,
          nonce: family === 'evm' ? `${nonce}` : null,
          commitment: script.carriesCommitment ? hex : '',
          to: recipient,
          amount: `${amount}`,
          blockhash: 'b',
        }),
        format: family === 'evm' ? 'eip1559-rlp' : 'solana-v0',
        nonce: family === 'evm' ? nonce : null,
        lastValidBlockHeight: script.lifetime,
        validSeconds: 60,
        expiryEnforcedByChain: family === 'solana',
        fee,
        carriesCommitment: script.carriesCommitment,
        summary,
        unsigned: null,
      }
    },
  }
}
