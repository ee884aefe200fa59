import { baseUnits } from '@florin/wire/amount.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { encodeDeployData, parseAbi } from 'viem'
import { expect } from 'vitest'
import artifact from '../../../../sandbox/contracts/artifacts/TestWallet.json' with { type: 'json' }
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { until } from '../../kernel/until.ts'
import type { Address, Chain, TransactionHash } from '../chain.ts'
import type { ExactAuthorization, ExactDemand, ExactPayments } from '../exact.ts'
import { postText } from '../json-rpc/post-text.ts'
import type { PostText } from '../json-rpc/post-text.ts'
import { addressFromBytes } from './account.ts'
import { connectEvm } from './connect.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { NATIVE, testNetwork, USDC } from './test-network.ts'
import type { TestPayer } from './test-payer.ts'

export const SELLER = addressFromBytes(new Uint8Array(20).fill(0x71))
export const PRICE = baseUnits(10_000n)
export const ASSET = { ...USDC, takesWalletSignatures: true }
/** The factory that every chain has; its call data are a salt and init code. */
export const FACTORY = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const ABI = parseAbi(['constructor(uint8 trick, address owner)'])

/** What an account with code does, in the order of its contract. */
const TRICKS = [
  'none',
  'burns gas',
  'reverts',
  'lies in simulations',
  'returns much',
  'says another word',
  'says half a word',
  'reenters',
  'is slow',
] as const
export type Trick = (typeof TRICKS)[number]

export const demand: ExactDemand = {
  asset: ASSET,
  payTo: SELLER,
  amount: PRICE,
  extra: { name: 'USDC', version: '2' },
  settlers: new Set(),
}

/** A chain whose token asks code, and accounts with code on it. */
export interface WalletWorld {
  readonly world: TestChain
  readonly chain: Chain
  /** With one factory listed; `strict` has none. */
  readonly exact: ExactPayments
  readonly strict: ExactPayments
  readonly settler: TestWallet
  /** Runtime code of an account of the owner's; of the key itself where the owner is nobody. */
  runtime(trick: Trick, owner: string): Promise<string>
  /** Such an account at an address of its own, with a USDC. */
  walletOf(owner: TestPayer, trick?: Trick): Promise<Address>
  readOf(payload: Fields, by?: ExactPayments): ExactAuthorization
  settle(authorization: ExactAuthorization): Promise<TransactionHash>
  usdcOf(address: Address): Promise<bigint>
  /** Pays, and sees the effect that sellers are told of. */
  expectPaid(authorization: ExactAuthorization): Promise<void>
}

/** `post`: what stands between the chain and its node. */
export async function openWalletWorld(post: PostText = postText): Promise<WalletWorld> {
  const world = await startTestChain()
  const open = (walletFactories: readonly string[]): Chain =>
    connectEvm({
      config: testNetwork([world.sandbox.rpcUrl], { assets: [NATIVE, ASSET], walletFactories }),
      log: openLog('silent'),
      clock: systemClock,
      callSeconds: 20,
      post,
    })
  const chain = open([FACTORY])
  const exact = exactOf(chain)
  const strict = exactOf(open([]))
  const settler = await world.wallet(['native', '2'])

  const runtime = async (trick: Trick, owner: string): Promise<string> =>
    String(await world.rpc('eth_call', { data: creation(trick, owner) }, 'latest'))
  const usdcOf = async (address: Address): Promise<bigint> =>
    (await chain.balances(address, [ASSET])).amounts[0] ?? -1n
  const settle = async (authorization: ExactAuthorization): Promise<TransactionHash> => {
    const drafted = await exact.draft(authorization, settler.address)
    if (!drafted.ok) throw new Error(drafted.reason)
    const { terms, laneLatest } = drafted.draft
    const bytes = await chain.sign(terms, laneLatest, settler.signer)
    await chain.broadcast([bytes.raw])
    const stateOf = async () => (await chain.outcomes([bytes.hash]))[0]?.state
    await until('it is mined', async () => (await stateOf()) === 'mined', { seconds: 30 })
    return bytes.hash
  }
  return {
    ...{ world, chain, exact, strict, settler, runtime, settle, usdcOf },
    walletOf: async (owner, trick = 'none') => {
      const address = await world.contract(await runtime(trick, owner.address))
      await world.sandbox.fund(address, 'USDC', '1')
      return address
    },
    readOf: (payload, by = exact) => {
      const read = by.read(payload, demand)
      if (!read.ok) throw new Error(read.reason)
      return read.authorization
    },
    expectPaid: async (authorization) => {
      expect(await exact.check(authorization)).toEqual({ ok: true })
      const before = await usdcOf(SELLER)
      const hash = await settle(authorization)
      expect(await usdcOf(SELLER)).toBe(before + PRICE)
      expect(await exact.findForeign(authorization, 0n)).toMatchObject({
        kind: 'paid',
        settlement: { hash },
      })
      expect(await exact.check(authorization)).toMatchObject({ ok: false, isUsed: true })
      expect(await exact.draft(authorization, settler.address)).toMatchObject({ ok: false })
    },
  }
}

function exactOf({ exact }: Chain): ExactPayments {
  if (exact === undefined) throw new Error('no exact')
  return exact
}

export function hex(text: string): `0x${string}` {
  return `0x${text.replace(/^0x/, '')}`
}

/** Init code of an account of the owner's. */
export function creation(trick: Trick, owner: string): `0x${string}` {
  const args = [TRICKS.indexOf(trick), hex(owner)] as const
  return encodeDeployData({ abi: ABI, bytecode: hex(artifact.bytecode), args })
}

export async function signed(owner: TestPayer, from: Address): Promise<Fields> {
  return owner.authorize({ asset: ASSET, to: SELLER, amount: PRICE, from })
}

export function withSignature(payload: Fields, change: (signature: string) => string): Fields {
  return { ...payload, signature: change(String(payload['signature'])) }
}

/** A signature that goes on behind its 65 bytes, as that of an account may. */
export const more = (signature: string): string => `${signature}c0ffee`
