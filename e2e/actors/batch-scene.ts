import { parseSignature, serializeSignature } from 'viem'
import type { Hex } from 'viem'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { callOf, openEscrow } from '../../sandbox/src/evm/test-batch-scene.ts'
import { aStockBuyer } from '../../sandbox/src/evm/test-stock-buyer.ts'
import { asked, NOBODY, openChannel } from './batch-channel.ts'
import type { BatchChannel, Config } from './batch-channel.ts'
import type { Asked } from './batch-judges.ts'
import type { World } from './world.ts'

/** What a payer of the scene has, base units. */
export const FUNDS = 10_000_000n
/** Why this one says something else of such parts. */
export const MALFORMED = 'A malformed part is named as such, before anything else is said.'
/** Nobody's. */
export const ADDRESS = '0x00000000000000000000000000000000000000aa'
export const WORD: Hex = `0x${'07'.repeat(32)}`
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Channels as they come, and a deposit that was made. */
export interface BatchScene {
  readonly usdc: string
  /** Never deposited into; its payer has approved Permit2. */
  readonly fresh: BatchChannel
  /** The same, of a payer that has approved nobody. */
  readonly cold: BatchChannel
  /** 10,000 in it, 3,000 claimed. */
  readonly open: BatchChannel
  /** The same, and its payer has begun to withdraw 1,000. */
  readonly closing: BatchChannel
  /** 10,000 in it; its payer signs vouchers itself. */
  readonly unnamed: BatchChannel
  /** 5,000 in it, all of it claimed. */
  readonly used: BatchChannel
  readonly spent: Fields
}

/** A payload that is made when the scene is there. */
export type Case = readonly [
  name: string,
  word: string,
  make: (scene: BatchScene) => Promise<Asked>,
]

export async function openBatchScene(world: World): Promise<BatchScene> {
  const [fresh, open, closing] = [
    await aChannel(world, 'warm'),
    await aChannel(world, 'warm'),
    await aChannel(world, 'warm'),
  ]
  const [cold, used] = [await aChannel(world, 'cold'), await aChannel(world, 'cold')]
  const unnamed = await aChannel(world, 'cold', { payerAuthorizer: NOBODY })
  const spent = await open.deposit('eip3009')
  await settled(world, asked(spent, open.terms()))
  await settled(world, asked(await closing.deposit('permit2'), closing.terms()))
  await settled(world, asked(await unnamed.deposit('eip3009'), unnamed.terms()))
  await settled(world, asked(await used.deposit('eip3009', { amount: 5_000n }), used.terms()))
  for (const [each, total] of [
    [open, 3_000n],
    [closing, 3_000n],
    [used, 5_000n],
  ] as const) {
    await settled(world, asked(await each.claim([await each.row(total)]), each.managerTerms()))
  }
  await settled(world, asked(used.sweep(), used.managerTerms()))
  const begin = callOf.initiateWithdraw(closing.config, 1_000n)
  const begun = await openEscrow(world.sandbox).send(closing.payer, begin)
  if (begun !== 'success') throw new Error(begun)
  return { usdc: world.sandbox.usdc, fresh, cold, open, closing, unnamed, used, spent }
}

/** A payer with ten USDC and a channel of its own; `warm` has approved Permit2. */
export async function aChannel(
  world: Pick<World, 'sandbox'>,
  kind: 'warm' | 'cold',
  change: Partial<Config> = {},
): Promise<BatchChannel> {
  const { account } = await aStockBuyer(world.sandbox, kind)
  return openChannel(account, world.sandbox.usdc, change)
}

/** Has the service settle it. Throws where that is no success. */
export async function settled(world: Pick<World, 'client'>, body: Asked): Promise<void> {
  const reply = await world.client().post('/x402/settle', body)
  if (reply.body['success'] !== true) throw new Error(JSON.stringify(reply.body))
}

/** With one part written otherwise, by its path; what is signed stays as it was. */
export function written(payload: Fields, path: string, value: unknown): Fields {
  const [first = '', ...rest] = path.split('.')
  if (rest.length === 0) return { ...payload, [first]: value }
  return { ...payload, [first]: written(fieldsOf(payload[first]) ?? {}, rest.join('.'), value) }
}

export function partOf(payload: Fields, path: string): unknown {
  return path.split('.').reduce<unknown>((part, name) => fieldsOf(part)?.[name], payload)
}

export function rewritten(payload: Fields, path: string, change: (signature: Hex) => Hex): Fields {
  return written(payload, path, change(String(partOf(payload, path)) as Hex))
}

const vOf = (signature: Hex): number => Number.parseInt(signature.slice(-2), 16)
export const withV =
  (v: number) =>
  (signature: Hex): Hex =>
    `${signature.slice(0, -2) as Hex}${v.toString(16).padStart(2, '0')}`
/** The last byte 0 or 1, as some wallets write it. */
export const lowV = (signature: Hex): Hex => withV(vOf(signature) - 27)(signature)
/** 27 for 28, and 28 for 27. */
export const otherV = (signature: Hex): Hex => withV(55 - vOf(signature))(signature)
/** The same signature with its other s. */
export function highS(signature: Hex): Hex {
  const { r, s, yParity } = parseSignature(signature)
  const other = `0x${(ORDER - BigInt(s)).toString(16).padStart(64, '0')}` as const
  return serializeSignature({ r, s: other, yParity: 1 - yParity })
}
export const shorter = (signature: Hex): Hex => signature.slice(0, -2) as Hex
export const forged = (): Hex => `0x${'5a'.repeat(64)}1b`
