import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  NONCE_ACCOUNT_LENGTH,
  PublicKey,
  sendAndConfirmTransaction,
  SystemProgram,
  Transaction,
} from '@solana/web3.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { until } from '../../../server/src/kernel/until.ts'
import { TOKEN_PROGRAM } from './chain/program-addresses.ts'

/** Methods that the library still has and that nodes no longer have. */
const GONE = ['getFeeCalculatorForBlockhash', 'getStakeActivation']
const VERSION = { maxSupportedTransactionVersion: 0 } as const
const TOKENS = new PublicKey(TOKEN_PROGRAM)

const payer = Keypair.generate()
const nonce = Keypair.generate()
/** Every method that went over the wire. */
const called = new Set<string>()
let sandbox: SandboxHandle
let connection: Connection
let mint: PublicKey
let tokens: PublicKey
let draft: Transaction
let signature: string
let slot: number

beforeAll(async () => {
  sandbox = await startSandbox()
  connection = new Connection(sandbox.solana.rpcUrl, {
    commitment: 'confirmed',
    fetch: async (url, init) => {
      if (typeof init?.body === 'string') note(JSON.parse(init.body))
      return await fetch(url, init)
    },
  })
  mint = new PublicKey(sandbox.solana.usdc)
  await sandbox.fund(payer.publicKey.toBase58())
  await sandbox.fund(payer.publicKey.toBase58(), 'USDC')
  const [held] = (await connection.getTokenAccountsByOwner(payer.publicKey, { mint })).value
  if (held === undefined) throw new Error('no token account')
  tokens = held.pubkey
  const lamports = await connection.getMinimumBalanceForRentExemption(NONCE_ACCOUNT_LENGTH)
  draft = SystemProgram.createNonceAccount({
    fromPubkey: payer.publicKey,
    noncePubkey: nonce.publicKey,
    authorizedPubkey: payer.publicKey,
    lamports,
  })
  signature = await sendAndConfirmTransaction(connection, draft, [payer, nonce])
  slot = (await connection.getSignatureStatus(signature)).value?.slot ?? 0
})
afterAll(async () => {
  await sandbox.stop()
})

function note(body: unknown): void {
  for (const call of Array.isArray(body) ? (body as unknown[]) : [body]) {
    called.add((call as { method: string }).method)
  }
}

/** The library checks each answer against a shape of its own: what it takes is right. */
const CALLS: Readonly<Record<string, () => Promise<unknown>>> = {
  getBalance: () => connection.getBalance(payer.publicKey),
  getBlockTime: () => connection.getBlockTime(slot),
  getMinimumLedgerSlot: () => connection.getMinimumLedgerSlot(),
  getFirstAvailableBlock: () => connection.getFirstAvailableBlock(),
  getSupply: () => connection.getSupply(),
  getTokenSupply: () => connection.getTokenSupply(mint),
  getTokenAccountBalance: () => connection.getTokenAccountBalance(tokens),
  getParsedTokenAccountsByOwner: () =>
    connection.getParsedTokenAccountsByOwner(payer.publicKey, { programId: TOKENS }),
  getLargestAccounts: () => connection.getLargestAccounts(),
  getTokenLargestAccounts: () => connection.getTokenLargestAccounts(mint),
  getAccountInfo: () => connection.getAccountInfo(payer.publicKey),
  getParsedAccountInfo: () => connection.getParsedAccountInfo(tokens),
  getMultipleAccountsInfo: () => connection.getMultipleAccountsInfo([tokens, mint]),
  getMultipleParsedAccounts: () => connection.getMultipleParsedAccounts([tokens, mint]),
  getProgramAccounts: () => connection.getProgramAccounts(TOKENS),
  getParsedProgramAccounts: () => connection.getParsedProgramAccounts(TOKENS),
  getClusterNodes: () => connection.getClusterNodes(),
  getVoteAccounts: () => connection.getVoteAccounts(),
  getSlot: () => connection.getSlot(),
  getSlotLeader: () => connection.getSlotLeader(),
  getSlotLeaders: () => connection.getSlotLeaders(slot, 4),
  getSignatureStatuses: () => connection.getSignatureStatuses([signature]),
  getTransactionCount: () => connection.getTransactionCount(),
  getInflationGovernor: () => connection.getInflationGovernor(),
  getInflationReward: () => connection.getInflationReward([payer.publicKey], 0),
  getInflationRate: () => connection.getInflationRate(),
  getEpochInfo: () => connection.getEpochInfo(),
  getEpochSchedule: () => connection.getEpochSchedule(),
  getLeaderSchedule: () => connection.getLeaderSchedule(),
  getRecentPerformanceSamples: () => connection.getRecentPerformanceSamples(1),
  getRecentPrioritizationFees: () => connection.getRecentPrioritizationFees(),
  getFeeForMessage: () => connection.getFeeForMessage(draft.compileMessage()),
  getLatestBlockhash: () => connection.getLatestBlockhash(),
  isBlockhashValid: () => connection.isBlockhashValid(draft.recentBlockhash ?? ''),
  getVersion: () => connection.getVersion(),
  getGenesisHash: () => connection.getGenesisHash(),
  getBlock: () => connection.getBlock(slot, VERSION),
  getParsedBlock: () => connection.getParsedBlock(slot, VERSION),
  getBlockAccounts: () => connection.getBlock(slot, { ...VERSION, transactionDetails: 'accounts' }),
  getBlockWithout: () => connection.getBlock(slot, { ...VERSION, transactionDetails: 'none' }),
  getBlockSignatures: () => connection.getBlockSignatures(slot),
  getBlocks: () => connection.getBlocks(slot, slot + 1),
  getBlockHeight: () => connection.getBlockHeight(),
  getBlockProduction: () => connection.getBlockProduction(),
  getTransaction: () => connection.getTransaction(signature, VERSION),
  getTransactions: () => connection.getTransactions([signature, signature], VERSION),
  getParsedTransaction: () => connection.getParsedTransaction(signature, VERSION),
  getParsedTransactions: () => connection.getParsedTransactions([signature], VERSION),
  getSignaturesForAddress: () => connection.getSignaturesForAddress(payer.publicKey),
  getNonce: () => connection.getNonce(nonce.publicKey),
  getStakeMinimumDelegation: () => connection.getStakeMinimumDelegation(),
  requestAirdrop: () => connection.requestAirdrop(payer.publicKey, LAMPORTS_PER_SOL),
  simulateTransaction: () => connection.simulateTransaction(draft),
}

describe('@solana/web3.js 1.x', () => {
  test.each(Object.entries(CALLS))('%s gives what the library takes', async (_, call) => {
    const answer = await call()
    expect(answer).toBeDefined()
    expect(answer).not.toBeNull()
  })

  test('names a nonce account in words', async () => {
    const { value } = await connection.getParsedAccountInfo(nonce.publicKey)
    const stored = await connection.getNonce(nonce.publicKey)
    expect(value?.data).toEqual({
      program: 'nonce',
      parsed: {
        type: 'initialized',
        info: {
          authority: payer.publicKey.toBase58(),
          blockhash: stored?.nonce,
          feeCalculator: { lamportsPerSignature: '5000' },
        },
      },
      space: NONCE_ACCOUNT_LENGTH,
    })
  })

  test.each([
    ['getFeeCalculatorForBlockhash', () => connection.getFeeCalculatorForBlockhash('x')],
    ['getStakeActivation', () => connection.getStakeActivation(payer.publicKey)],
  ])('%s is no method, as on every node since 2.0', async (_, call) => {
    await expect(call()).rejects.toThrow('Method not found')
  })

  test('has no method beside these', () => {
    const source = createRequire(import.meta.url).resolve('@solana/web3.js')
    const named = readFileSync(source, 'utf8').matchAll(
      /(?:_rpcRequest\(|methodName: )'([a-zA-Z]+)'/g,
    )
    const names = new Set(Array.from(named, ([, name]) => name ?? ''))
    expect(names.size).toBeGreaterThan(40)
    expect([...names].filter((name) => !called.has(name))).toEqual([])
    expect(GONE.every((name) => names.has(name))).toBe(true)
  })
})

describe('subscriptions of @solana/web3.js 1.x', () => {
  test('all are told', async () => {
    const told = new Set<string>()
    const on = (name: string) => () => void told.add(name)
    const { publicKey } = payer
    const ends = [
      connection.onAccountChange(publicKey, on('account')),
      connection.onProgramAccountChange(SystemProgram.programId, on('program')),
      connection.onLogs(publicKey, on('logs')),
      connection.onSlotChange(on('slot')),
      connection.onSlotUpdate(on('slotUpdate')),
      connection.onRootChange(on('root')),
    ]
    // Landed long ago: told at once, and over by itself.
    connection.onSignature(signature, on('signature'))
    const pay = (lamports: number): Transaction =>
      new Transaction().add(
        SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: publicKey, lamports }),
      )
    let lamports = 0
    await until(
      'each has spoken',
      async () => {
        lamports += 1
        await sendAndConfirmTransaction(connection, pay(lamports), [payer])
        return told.size === ends.length + 1
      },
      { seconds: 30 },
    )
    await Promise.all([
      connection.removeAccountChangeListener(ends[0] ?? 0),
      connection.removeProgramAccountChangeListener(ends[1] ?? 0),
      connection.removeOnLogsListener(ends[2] ?? 0),
      connection.removeSlotChangeListener(ends[3] ?? 0),
      connection.removeSlotUpdateListener(ends[4] ?? 0),
      connection.removeRootChangeListener(ends[5] ?? 0),
    ])
  })
})
