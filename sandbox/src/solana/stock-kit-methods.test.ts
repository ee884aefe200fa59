import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import {
  address,
  compileTransactionMessage,
  createSolanaRpcSubscriptions_UNSTABLE,
  createTransactionMessage,
  getBase64Decoder,
  getCompiledTransactionMessageEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import type {
  Address,
  Base64EncodedWireTransaction,
  KeyPairSigner,
  Signature,
  SolanaRpcApi,
  TransactionMessageBytesBase64,
} from '@solana/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { until } from '../../../server/src/kernel/until.ts'
import { SYSTEM_PROGRAM } from './chain/program-addresses.ts'
import { testClient } from './test-client.ts'

let sandbox: SandboxHandle
let client: ReturnType<typeof testClient>
let payer: KeyPairSigner
let mint: Address
let tokens: Address
let sent: { readonly wire: Base64EncodedWireTransaction; readonly signature: Signature }
let slot: bigint

beforeAll(async () => {
  sandbox = await startSandbox()
  client = testClient(sandbox)
  payer = await client.newKey()
  mint = address(sandbox.solana.usdc)
  await sandbox.fund(payer.address)
  await sandbox.fund(payer.address, 'USDC')
  const owner = payer.address
  tokens = (await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]
  const signed = await client.transfer(payer, payer.address, 5n)
  await client.send(signed.wire)
  sent = signed
  slot = await until(
    'it is confirmed',
    async () => {
      const status = await client.status(signed.signature)
      return status?.confirmationStatus === 'processed' ? undefined : status?.slot
    },
    { seconds: 30 },
  )
})
afterAll(async () => {
  await sandbox.stop()
})

async function emptyMessage(): Promise<TransactionMessageBytesBase64> {
  const within = await client.lifetime()
  const draft = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(payer.address, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(within, paid),
  )
  const bytes = getCompiledTransactionMessageEncoder().encode(compileTransactionMessage(draft))
  return getBase64Decoder().decode(bytes) as TransactionMessageBytesBase64
}

const ONE_VERSION = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const
const CONFIRMED = { commitment: 'confirmed' } as const
const ENCODED = { encoding: 'base64' } as const

/** One call of every method that kit's types name. A method more there is a type error here. */
const KIT: { readonly [Method in keyof SolanaRpcApi]: () => Promise<unknown> } = {
  getAccountInfo: () => client.rpc.getAccountInfo(tokens, { encoding: 'jsonParsed' }).send(),
  getAgGenesisCert: () => client.rpc.getAgGenesisCert().send(),
  getBalance: () => client.rpc.getBalance(payer.address).send(),
  getBlock: () => client.rpc.getBlock(slot, ONE_VERSION).send(),
  getBlockCommitment: () => client.rpc.getBlockCommitment(slot).send(),
  getBlockHeight: () => client.rpc.getBlockHeight().send(),
  getBlockProduction: () => client.rpc.getBlockProduction().send(),
  getBlockTime: () => client.rpc.getBlockTime(slot).send(),
  getBlocks: () => client.rpc.getBlocks(slot).send(),
  getBlocksWithLimit: () => client.rpc.getBlocksWithLimit(slot, 3).send(),
  getClusterNodes: () => client.rpc.getClusterNodes().send(),
  getEpochInfo: () => client.rpc.getEpochInfo().send(),
  getEpochSchedule: () => client.rpc.getEpochSchedule().send(),
  getFeeForMessage: async () => await client.rpc.getFeeForMessage(await emptyMessage()).send(),
  getFirstAvailableBlock: () => client.rpc.getFirstAvailableBlock().send(),
  getGenesisHash: () => client.rpc.getGenesisHash().send(),
  getHealth: () => client.rpc.getHealth().send(),
  getHighestSnapshotSlot: () => client.rpc.getHighestSnapshotSlot().send(),
  getIdentity: () => client.rpc.getIdentity().send(),
  getInflationGovernor: () => client.rpc.getInflationGovernor().send(),
  getInflationRate: () => client.rpc.getInflationRate().send(),
  getInflationReward: () => client.rpc.getInflationReward([payer.address]).send(),
  getLargestAccounts: () => client.rpc.getLargestAccounts().send(),
  getLatestBlockhash: () => client.rpc.getLatestBlockhash().send(),
  getLeaderSchedule: () => client.rpc.getLeaderSchedule().send(),
  getMaxRetransmitSlot: () => client.rpc.getMaxRetransmitSlot().send(),
  getMaxShredInsertSlot: () => client.rpc.getMaxShredInsertSlot().send(),
  getMinimumBalanceForRentExemption: () =>
    client.rpc.getMinimumBalanceForRentExemption(165n).send(),
  getMultipleAccounts: () => client.rpc.getMultipleAccounts([tokens, mint]).send(),
  getProgramAccounts: () =>
    client.rpc.getProgramAccounts(TOKEN_PROGRAM_ADDRESS, { encoding: 'jsonParsed' }).send(),
  getRecentPerformanceSamples: () => client.rpc.getRecentPerformanceSamples(1).send(),
  getRecentPrioritizationFees: () => client.rpc.getRecentPrioritizationFees().send(),
  getSignatureStatuses: () => client.rpc.getSignatureStatuses([sent.signature]).send(),
  getSignaturesForAddress: () => client.rpc.getSignaturesForAddress(payer.address).send(),
  getSlot: () => client.rpc.getSlot().send(),
  getSlotLeader: () => client.rpc.getSlotLeader().send(),
  getSlotLeaders: () => client.rpc.getSlotLeaders(slot, 3).send(),
  getStakeMinimumDelegation: () => client.rpc.getStakeMinimumDelegation().send(),
  getSupply: () => client.rpc.getSupply().send(),
  getTokenAccountBalance: () => client.rpc.getTokenAccountBalance(tokens).send(),
  getTokenAccountsByDelegate: () =>
    client.rpc.getTokenAccountsByDelegate(payer.address, { mint }, { ...ENCODED }).send(),
  getTokenAccountsByOwner: () =>
    client.rpc.getTokenAccountsByOwner(payer.address, { mint }, { ...ENCODED }).send(),
  getTokenLargestAccounts: () => client.rpc.getTokenLargestAccounts(mint).send(),
  getTokenSupply: () => client.rpc.getTokenSupply(mint).send(),
  getTransaction: () =>
    client.rpc.getTransaction(sent.signature, { ...ONE_VERSION, encoding: 'json' }).send(),
  getTransactionCount: () => client.rpc.getTransactionCount().send(),
  getTransactionsForAddress: () => client.rpc.getTransactionsForAddress(payer.address).send(),
  getVersion: () => client.rpc.getVersion().send(),
  getVoteAccounts: () => client.rpc.getVoteAccounts().send(),
  isBlockhashValid: async () =>
    await client.rpc.isBlockhashValid((await client.lifetime()).blockhash).send(),
  minimumLedgerSlot: () => client.rpc.minimumLedgerSlot().send(),
  requestAirdrop: async () => await client.raw('requestAirdrop', [payer.address, 1_000_000]),
  sendTransaction: async () =>
    await client.send((await client.transfer(payer, payer.address, 7n)).wire),
  simulateTransaction: () =>
    client.rpc.simulateTransaction(sent.wire, { ...ENCODED, innerInstructions: true }).send(),
}

describe('@solana/kit', () => {
  test.each(Object.entries(KIT))('%s is answered', async (_, call) => {
    expect(await call()).toBeDefined()
  })

  test('getLargestAccounts names the richest first', async () => {
    const { value } = await client.rpc.getLargestAccounts({ commitment: 'confirmed' }).send()
    expect(value.length).toBeGreaterThan(2)
    const amounts = value.map(({ lamports }) => lamports)
    expect(amounts).toEqual(amounts.toSorted((left, right) => (left < right ? 1 : -1)))
    const locked = await client.rpc.getLargestAccounts({ filter: 'nonCirculating' }).send()
    expect(locked.value).toEqual([])
  })

  test('getLeaderSchedule gives every slot of this epoch to the one leader, and none of another', async () => {
    const { identity } = await client.rpc.getIdentity().send()
    const schedule = await client.rpc.getLeaderSchedule().send()
    const { slotsInEpoch } = await client.rpc.getEpochInfo().send()
    expect(Object.keys(schedule ?? {})).toEqual([identity])
    expect(schedule?.[identity]).toHaveLength(Number(slotsInEpoch))
    expect(await client.rpc.getLeaderSchedule(slot + slotsInEpoch).send()).toBeNull()
    const other = await client.rpc.getLeaderSchedule(null, { identity: payer.address }).send()
    expect(other).toEqual({})
  })
})

type Lines = ReturnType<typeof createSolanaRpcSubscriptions_UNSTABLE>
type Told = Promise<AsyncIterable<unknown>>

interface Watching {
  readonly abortSignal: AbortSignal
  /** Of a transaction that is sent once the subscription stands. */
  readonly signature: Signature
}

/** One of every subscription that kit's types name, stable or not. Nobody votes here, so of votes nothing is told. */
const WATCHED: {
  readonly [Name in Exclude<keyof Lines, 'voteNotifications'>]: (
    lines: Lines,
    options: Watching,
  ) => Told
} = {
  accountNotifications: (lines, options) =>
    lines.accountNotifications(payer.address, CONFIRMED).subscribe(options),
  blockNotifications: (lines, options) =>
    lines
      .blockNotifications(
        { mentionsAccountOrProgram: payer.address },
        { ...CONFIRMED, maxSupportedTransactionVersion: 0 },
      )
      .subscribe(options),
  logsNotifications: (lines, options) =>
    lines.logsNotifications({ mentions: [payer.address] }, CONFIRMED).subscribe(options),
  programNotifications: (lines, options) =>
    lines.programNotifications(SYSTEM_PROGRAM, { ...CONFIRMED, ...ENCODED }).subscribe(options),
  rootNotifications: (lines, options) => lines.rootNotifications().subscribe(options),
  signatureNotifications: (lines, options) =>
    lines.signatureNotifications(options.signature, CONFIRMED).subscribe(options),
  slotNotifications: (lines, options) => lines.slotNotifications().subscribe(options),
  slotsUpdatesNotifications: (lines, options) =>
    lines.slotsUpdatesNotifications().subscribe(options),
}

describe('subscriptions of @solana/kit', () => {
  const over = new AbortController()
  afterAll(() => over.abort())
  const lines = (): Lines => createSolanaRpcSubscriptions_UNSTABLE(sandbox.solana.wsUrl)

  test.each(Object.entries(WATCHED))('%s come', async (name, subscribe) => {
    // The same bytes land once only.
    const lamports = 100n + BigInt(Object.keys(WATCHED).indexOf(name))
    const { wire, signature } = await client.transfer(payer, payer.address, lamports)
    const told = await subscribe(lines(), { abortSignal: over.signal, signature })
    // Kit drops what comes while nobody asks its iterator: asked before there is anything to tell.
    const next = told[Symbol.asyncIterator]().next()
    await client.send(wire)
    expect((await next).value).toBeDefined()
  })

  test('slotsUpdatesNotifications tell every stage of a slot, in its order', async () => {
    const told = await lines().slotsUpdatesNotifications().subscribe({ abortSignal: over.signal })
    const stages = new Map<bigint, string[]>()
    for await (const { slot: one, type } of told) {
      const seen = stages.get(one) ?? []
      stages.set(one, [...seen, type])
      if (seen.length === 5) break
    }
    expect([...stages.values()].find((seen) => seen.length === 6)).toEqual([
      'firstShredReceived',
      'createdBank',
      'completed',
      'frozen',
      'optimisticConfirmation',
      'root',
    ])
  })

  test('voteNotifications are refused, as by a node that was not told to offer them', async () => {
    const votes = lines().voteNotifications().subscribe({ abortSignal: over.signal })
    await expect(votes).rejects.toMatchObject({ context: { __code: -32_601 } })
  })
})

describe('getTransactionsForAddress', () => {
  type History = { readonly data: readonly { readonly signature: string }[] }
  const history = async (who: Address, config: object = {}): Promise<readonly string[]> => {
    const answer = await client.raw('getTransactionsForAddress', [
      who,
      { commitment: 'confirmed', ...config },
    ])
    return (answer.result as History).data.map(({ signature }) => signature)
  }
  const landed: string[] = []
  let saver: KeyPairSigner
  let savings: Address

  beforeAll(async () => {
    saver = await client.newKey()
    const owner = saver.address
    ;[savings] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS })
    await sandbox.fund(saver.address)
    for (const lamports of [1n, 2n, 10n ** 18n]) {
      const { wire, signature } = await client.transfer(saver, saver.address, lamports)
      // The last one fails on the chain.
      await client.send(wire, { skipPreflight: true })
      landed.push(signature)
      await until(
        'it is confirmed',
        async () => (await history(saver.address)).includes(signature),
        { seconds: 30 },
      )
    }
  })

  test('gives pages, newest first or oldest first', async () => {
    const page = async (paginationToken: string | null): Promise<string | null> => {
      const { data, paginationToken: next } = await client.rpc
        .getTransactionsForAddress(saver.address, {
          ...CONFIRMED,
          limit: 2,
          ...(paginationToken === null ? {} : { paginationToken }),
        })
        .send()
      pages.push(data.map(({ signature }) => signature))
      return next
    }
    const pages: string[][] = []
    expect(await page(await page(null))).toBeNull()
    expect(pages.map(({ length }) => length)).toEqual([2, 2])
    expect(pages.flat().slice(0, 3)).toEqual(landed.toReversed())
    const oldest = await history(saver.address, { sortOrder: 'asc' })
    expect(oldest).toEqual(pages.flat().toReversed())
  })

  test('filters by outcome, slot, time and signature', async () => {
    const { data } = await client.rpc.getTransactionsForAddress(saver.address, CONFIRMED).send()
    const [failed, second] = data
    if (failed === undefined || second === undefined) throw new Error('nothing is there')
    const by = async (filters: object): Promise<readonly string[]> =>
      await history(saver.address, { filters })
    expect(await by({ status: 'failed' })).toEqual([failed.signature])
    expect(await by({ status: 'succeeded' })).not.toContain(failed.signature)
    expect(await by({ slot: { gt: Number(second.slot) } })).toEqual([failed.signature])
    expect(await by({ slot: { gte: Number(second.slot), lte: Number(second.slot) } })).toEqual([
      second.signature,
    ])
    expect(await by({ blockTime: { gt: Number(failed.blockTime) } })).toEqual([])
    expect(await by({ blockTime: { eq: Number(failed.blockTime) } })).toContain(failed.signature)
    expect(await by({ signature: { gte: second.signature } })).toEqual([
      failed.signature,
      second.signature,
    ])
    expect(await by({ signature: { gt: second.signature } })).toEqual([failed.signature])
  })

  test('shows whole transactions', async () => {
    const { data } = await client.rpc
      .getTransactionsForAddress(saver.address, {
        ...CONFIRMED,
        transactionDetails: 'full',
        encoding: 'jsonParsed',
        maxSupportedTransactionVersion: 0,
        limit: 1,
      })
      .send()
    expect(data).toMatchObject([
      {
        transactionIndex: 0,
        meta: { err: { InstructionError: [0n, { Custom: 1n }] }, fee: 5_000n },
        transaction: { signatures: [landed[2]] },
        version: 0,
      },
    ])
  })

  test('finds what concerns only a token account of the address, when it is asked to', async () => {
    const paid = await sandbox.fund(saver.address, 'USDC', '1')
    expect(await history(savings)).toEqual([paid])
    const again = await sandbox.fund(saver.address, 'USDC', '2')
    const by = async (tokenAccounts: string): Promise<readonly string[]> =>
      await history(saver.address, { filters: { tokenAccounts } })
    for (const wide of ['all', 'balanceChanged']) expect(await by(wide)).toContain(again)
  })

  test.each([
    [{ commitment: 'processed' }],
    [{ limit: 0 }],
    [{ limit: 101, transactionDetails: 'full' }],
    [{ paginationToken: 'soon' }],
    [{ filters: { status: 'maybe' } }],
    [{ filters: { slot: { near: 5 } } }],
    [{ filters: { signature: { gt: '5'.repeat(88) } } }],
  ])('%j is refused', async (config) => {
    const answer = await client.raw('getTransactionsForAddress', [payer.address, config])
    expect(answer.error?.code).toBe(-32_602)
  })
})
