import { baseUnits } from '@florin/wire/amount.ts'
import { transferMemo } from '@florin/wire/transfer-memo.ts'
import { NodeFailure } from '../chain.ts'
import type { Address, FeeEstimate } from '../chain.ts'
import type { Read } from '../json-rpc/transport.ts'
import { addressFrom } from './answer.ts'
import { lifetimeRead } from './blocks.ts'
import { shapeOf, unitsLimit } from './compute.ts'
import type { DraftDeps } from './draft.ts'
import { SIGNATURE_FEE, automaticPrice, priorityFeeOf } from './fees.ts'
import { simulationRead } from './simulate.ts'

/** Memos of payments are equally long, so they use equally much. */
const MEMO = transferMemo(new Uint8Array(32).fill(0xff))

const leaderRead: Read<Address> = {
  method: 'getSlotLeader',
  params: [{ commitment: 'confirmed' }],
  parse: (result) => addressFrom(result, 'slot leader'),
}

/** At the price per compute unit that a payment of now would offer. At most two round trips. */
export async function estimateFees(deps: DraftDeps): Promise<FeeEstimate> {
  const { config, facts } = deps
  const [price, used] = await Promise.all([
    facts.recentPrice(),
    facts.unitsOf(shapeOf(undefined, 0)) ?? simulatedUnits(deps),
  ])
  const pricePerUnit = automaticPrice(price, config.fees)
  const priorityFee = baseUnits(priorityFeeOf({ units: unitsLimit(used), pricePerUnit }))
  return { transfer: baseUnits(SIGNATURE_FEE + priorityFee), priorityFee }
}

/** Of a payment that the slot's leader would make to itself: the one account that surely exists and has money. */
async function simulatedUnits({ transport }: DraftDeps): Promise<bigint> {
  const [leader, { blockhash }] = await Promise.all([
    transport.read(leaderRead),
    transport.read(lifetimeRead),
  ])
  const transfer = { sender: leader, recipient: leader, amount: 1n, memo: MEMO }
  const simulation = await transport.read(simulationRead(transfer, blockhash))
  if ('unitsUsed' in simulation) return simulation.unitsUsed
  throw new NodeFailure('the leader of the slot cannot pay itself')
}
