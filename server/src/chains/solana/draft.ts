import { baseUnits } from '@florin/wire/amount.ts'
import { transferMemo } from '@florin/wire/transfer-memo.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import { NodeFailure } from '../chain.ts'
import type { Address, Draft, DraftOutcome, DraftRefusal, TransferOrder } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { ZERO_ADDRESS, parseAddress } from './account.ts'
import { blockHashRead, lifetimeRead } from './blocks.ts'
import type { Lifetime } from './blocks.ts'
import { UNITS_UNKNOWN, shapeOf, unitsLimit } from './compute.ts'
import type { Facts } from './facts.ts'
import { SIGNATURE_FEE, automaticPrice, fixedPrice, priorityFeeOf } from './fees.ts'
import type { Mint } from './mint.ts'
import { NATIVE_MINT } from './programs.ts'
import { recipientRefusal } from './recipient.ts'
import { rentFor } from './rent.ts'
import { readScene } from './scene.ts'
import type { Scene } from './scene.ts'
import { simulationRead } from './simulate.ts'
import { writeTerms } from './terms.ts'
import type { Budget, Transfer } from './transfer.ts'

export interface DraftDeps {
  readonly transport: Transport
  readonly config: NetworkConfig
  readonly facts: Facts
  /** Whether a blockhash that others were given lately will do. Then the block that the balances are of is not named. */
  readonly sharesLifetime?: boolean
}

interface Prepared {
  readonly order: TransferOrder
  readonly mint: Mint | undefined
  readonly scene: Scene
  readonly transfer: Transfer
  readonly lifetime: Lifetime
  readonly accountRent: bigint
  readonly recentPrice: bigint
}

/**
 * Asks in one round trip what a transfer needs. One more asks for a mint that was not looked at lately, and one for a simulation
 * when nobody has simulated this shape of transfer lately or the recipient's token account may refuse.
 */
export async function draftTransfer(deps: DraftDeps, order: TransferOrder): Promise<DraftOutcome> {
  const { transport, config, facts, sharesLifetime = false } = deps
  const refusal = knownRefusal(config, order.recipient)
  if (refusal !== undefined) return { ok: false, refusal }
  const mint = await mintOf(facts, order)
  const [scene, lifetime, rentMinimum, recentPrice] = await Promise.all([
    readScene(transport, facts, order, mint),
    sharesLifetime ? facts.lifetime() : transport.read(lifetimeRead),
    facts.rentMinimum(),
    facts.recentPrice(),
  ])
  const refused = recipientRefusal(scene.recipient, order.amount, mint, rentMinimum)
  if (refused !== undefined) return { ok: false, refusal: refused }
  const createsAccount = mint !== undefined && scene.recipient.tokenAccount === undefined
  const transfer: Transfer = {
    sender: order.sender,
    recipient: order.recipient,
    amount: order.amount,
    memo: transferMemo(order.commitment),
    ...(mint === undefined || scene.route === undefined
      ? {}
      : { token: { ...scene.route, createsAccount } }),
  }
  const accountRent = createsAccount ? rentFor(BigInt(mint.accountBytes), rentMinimum) : 0n
  const balances = {
    ...scene.balances(rentMinimum),
    height: scene.slot,
    blockHash: sharesLifetime ? null : await hashOfSlot(transport, scene.slot, lifetime),
  }
  const prepared = { order, mint, scene, transfer, lifetime, accountRent, recentPrice }
  if (isShort(prepared, balances)) return draftOf(deps, prepared, balances, UNITS_UNKNOWN)
  const used = await unitsUsed(deps, prepared)
  return used === 'refused'
    ? { ok: false, refusal: 'recipient_refuses' }
    : draftOf(deps, prepared, balances, unitsLimit(used))
}

function knownRefusal(config: NetworkConfig, recipient: Address): DraftRefusal | undefined {
  if (recipient === ZERO_ADDRESS) return 'recipient_is_zero'
  const isAsset = config.assets.some(({ asset }) => asset === recipient)
  // A cluster without programs of its own may not show it for what it is.
  return isAsset || recipient === NATIVE_MINT ? 'recipient_is_asset' : undefined
}

async function mintOf(facts: Facts, { asset }: TransferOrder): Promise<Mint | undefined> {
  if (asset.asset === 'native') return undefined
  const address = parseAddress(asset.asset)
  if (address === undefined) throw new Error('an asset without a proper address')
  const mint = await facts.mint(address)
  if (mint.decimals !== asset.decimals) {
    throw new NodeFailure(`${address} has ${mint.decimals} decimals, not ${asset.decimals}`)
  }
  return mint
}

/**
 * The hash of the block that the balances are of. Mostly it came with the lifetime; where two items of the batch saw different
 * slots it is asked for. Null when the node cannot say.
 */
async function hashOfSlot(
  transport: Transport,
  slot: bigint,
  lifetime: Lifetime,
): Promise<string | null> {
  if (lifetime.slot === slot) return lifetime.blockhash
  try {
    return await transport.read(blockHashRead(slot))
  } catch (error) {
    if (error instanceof NodeFailure) return null
    throw error
  }
}

/** Whether the money is missing already without a fee of our own choice: a simulation would only say so too. */
function isShort({ order, accountRent }: Prepared, { native, asset }: Draft['balances']): boolean {
  const moved = order.asset.asset === 'native' ? order.amount : 0n
  const needed = SIGNATURE_FEE + accountRent + (order.priorityFee ?? 0n) + moved
  return native < needed || asset < order.amount
}

/** Compute units that the transfer takes, remembered or simulated; `refused` when the recipient's side makes it fail. */
async function unitsUsed(
  { transport, facts }: DraftDeps,
  { mint, scene, transfer, lifetime }: Prepared,
): Promise<bigint | 'refused'> {
  const shape = shapeOf(mint, transfer.token?.createsAccount === true ? scene.accountTries : 0)
  const known = scene.isOrdinary ? facts.unitsOf(shape) : undefined
  if (known !== undefined) return known
  const simulation = await transport.read(simulationRead(transfer, lifetime.blockhash))
  if ('unitsUsed' in simulation) {
    if (scene.isOrdinary) facts.noteUnits(shape, simulation.unitsUsed)
    return simulation.unitsUsed
  }
  if (simulation.problem === 'refused') return 'refused'
  throw new NodeFailure('the node calls a balance short that it also calls enough')
}

function draftOf(
  { config }: DraftDeps,
  { order, transfer, lifetime, accountRent, recentPrice }: Prepared,
  balances: Draft['balances'],
  units: bigint,
): DraftOutcome {
  const { fees } = config
  const isPriceFixed = order.priorityFee !== undefined
  const pricePerUnit =
    order.priorityFee === undefined
      ? automaticPrice(recentPrice, fees)
      : fixedPrice(order.priorityFee, units)
  const budget: Budget = { units, pricePerUnit }
  const priorityFee = baseUnits(priorityFeeOf(budget))
  const terms = writeTerms({
    network: config.network,
    transfer,
    budget,
    isPriceFixed,
    accountRent,
    blockhash: lifetime.blockhash,
    lastValidBlockHeight: lifetime.lastValidBlockHeight,
  })
  const mostPriority = priorityFee * (isPriceFixed ? 1n : fees.ceilingMultiple)
  const feeCeiling = baseUnits(SIGNATURE_FEE + accountRent + mostPriority)
  return {
    ok: true,
    draft: { terms, feeCeiling, priorityFee, carriesCommitment: true, balances, laneLatest: 0n },
  }
}
