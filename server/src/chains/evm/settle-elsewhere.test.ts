import { baseUnits } from '@florin/wire/amount.ts'
import { decodeFunctionData, keccak256, parseAbi, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../kernel/until.ts'
import { parseAddress } from './account.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain } from './test-chain.ts'
import { USDC } from './test-network.ts'
import { testPayer } from './test-payer.ts'

const PRICE = baseUnits(10_000n)
const ABI = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])

let world: TestChain
beforeAll(async () => {
  world = await startTestChain()
})
afterAll(async () => {
  await world.sandbox.stop()
})

test('a seller settles a payment from its own wallet with bytes that do just that, once', async () => {
  const { exact, selfCustody } = world.chain
  if (exact === undefined || selfCustody === undefined) throw new Error('EVM has both')
  const account = privateKeyToAccount(keccak256(Buffer.from('a seller')))
  const seller = parseAddress(account.address)
  if (seller === undefined) throw new Error('no address')
  await world.sandbox.fund(seller, 'native', '1')
  const payer = testPayer()
  await world.sandbox.fund(payer.address, 'USDC', '1')
  const payload = await payer.authorize({ asset: USDC, to: seller, amount: PRICE })
  const extra = { name: 'USDC', version: '2' }
  const demand = { asset: USDC, payTo: seller, amount: PRICE, extra, settlers: new Set<never>() }
  const read = exact.read(payload, demand)
  if (!read.ok) throw new Error(read.reason)
  const tip = baseUnits(10n ** 12n)
  const outcome = await selfCustody.prepareSettlement(read.authorization, seller, tip)
  if (!outcome.ok) throw new Error(outcome.reason)
  const built = outcome.preparation.build([0n])
  expect(built.nonce).toBe(1n)
  expect(built.fee.priority).toBeLessThanOrEqual(tip)
  expect(built.fee.priority).toBeGreaterThan((tip * 99n) / 100n)
  const { transaction, summary } = outcome.preparation.build([])
  const transfers = [{ asset: USDC.asset, from: payer.address, to: seller, amount: PRICE }]
  expect(summary).toMatchObject({ feePayer: seller, transfers, commitments: [], others: [] })
  const parsed = parseTransaction(`0x${Buffer.from(transaction).toString('hex')}`)
  if (parsed.type !== 'eip1559') throw new Error('another type')
  expect(parsed).toMatchObject({ to: USDC.asset.toLowerCase(), nonce: 0 })
  const { args } = decodeFunctionData({ abi: ABI, data: parsed.data ?? '0x' })
  expect(args.slice(0, 3)).toEqual([payer.address, seller, PRICE])

  const { height } = await world.chain.head()
  const raw = Buffer.from((await account.signTransaction(parsed)).slice(2), 'hex')
  expect(await world.chain.broadcast([raw])).toEqual([{ kind: 'accepted' }])
  const watched = { senders: new Set([seller]), commitments: new Set<string>() }
  const sighting = await until(
    'the settlement is on chain',
    async () => {
      const blocks = await world.chain.blocks(height, 20)
      return (await selfCustody.sightings(blocks, async () => watched))?.[0]
    },
    { seconds: 30 },
  )
  // A payment of another scheme, which has a record of its own: it stands for no build.
  expect(sighting).toMatchObject({ sender: seller, isPlain: false, transfers: [] })
  expect(await selfCustody.prepareSettlement(read.authorization, seller)).toMatchObject({
    ok: false,
  })
})
