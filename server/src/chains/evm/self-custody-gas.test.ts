import { baseUnits } from '@florin/wire/amount.ts'
import { keccak256 } from 'viem'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../chain.ts'
import type { PrepareOutcome, SelfCustody } from '../self-custody.ts'
import { parseAddress } from './account.ts'
import { COMMITMENT, startTestChain } from './test-chain.ts'
import type { TestChain } from './test-chain.ts'
import { NATIVE } from './test-network.ts'

const account = privateKeyToAccount(keccak256(Buffer.from('gas')))

let world: TestChain
let chain: SelfCustody
let sender: Address
beforeAll(async () => {
  world = await startTestChain()
  const address = parseAddress(account.address)
  if (world.chain.selfCustody === undefined || address === undefined) throw new Error('no builds')
  chain = world.chain.selfCustody
  sender = address
  await world.sandbox.fund(sender, 'native', '1')
})
afterAll(async () => {
  await world.sandbox.stop()
})

/** Code that goes round so many times, for 26 gas each, and takes what it is sent. */
const turns = (count: number) => `0x61${count.toString(16).padStart(4, '0')}5b6001900380600357`

async function preparedFor(recipient: Address): Promise<PrepareOutcome> {
  const transfer = { recipient, asset: NATIVE, amount: baseUnits(5n), commitment: COMMITMENT }
  return await chain.prepare({ sender, ...transfer })
}

/** What was built, signed with another gas limit. */
async function signedWith(recipient: Address, gas: bigint): Promise<Uint8Array> {
  const outcome = await preparedFor(recipient)
  if (!outcome.ok) throw new Error(outcome.refusal)
  const { unsigned } = outcome.preparation.build([])
  if (unsigned === null) throw new Error('no fields')
  const { to, value, data, nonce, maxFeePerGas, maxPriorityFeePerGas, chainId } = unsigned
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  const raw = await account.signTransaction({
    ...{ type: 'eip1559', to: to as Hex, value, data: data as Hex, nonce: Number(nonce), gas },
    ...{ ...fees, chainId: Number(chainId) },
  })
  return new Uint8Array(Buffer.from(raw.slice(2), 'hex'))
}

async function othersOf(bytes: Uint8Array): Promise<readonly string[]> {
  const inspected = chain.inspect(bytes)
  if (!inspected.ok) throw new Error(inspected.reason)
  return inspected.summary.others
}

test('nothing is built that offers more gas than what is read of a transfer in its block', async () => {
  const within = await preparedFor(await world.contract(turns(15_000)))
  expect(within).toMatchObject({ ok: true })
  // It would pay, and be told as something else.
  const above = await preparedFor(await world.contract(turns(20_000)))
  expect(above).toEqual({ ok: false, refusal: 'takes_too_much_gas' })
})

test('a signed form that offers more is told from what was built, and no other', async () => {
  const recipient = await world.contract(turns(1_000))
  expect(await othersOf(await signedWith(recipient, 600_000n))).toEqual([])
  expect(await othersOf(await signedWith(recipient, 600_001n))).toEqual([
    'offers 600001 gas, and with more than 600000 it is not told in its block',
  ])
})
