import { createPublicClient, http, parseAbi, zeroAddress } from 'viem'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { x402Facilitator } from '@x402/core/facilitator'
import { x402ResourceServer } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { BATCH_SETTLEMENT_ADDRESS as STOCK_ADDRESS, BATCH_SETTLEMENT_DOMAIN } from '@x402/evm'
import type { BatchSettlementEvmSchemeOptions } from '@x402/evm/batch-settlement/client'
import { BatchSettlementEvmScheme as FacilitatorScheme } from '@x402/evm/batch-settlement/facilitator'
import { BatchSettlementEvmScheme as ServerScheme } from '@x402/evm/batch-settlement/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  aBatchBuyer,
  askBack,
  batchTerms,
  buyFrom,
  DEPOSIT,
  FUNDS,
  PRICE,
} from './test-batch-shop.ts'
import type { BatchBuyer, BatchShop } from './test-batch-shop.ts'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { stockFacilitatorSigner, stockWallet } from '../../../e2e/actors/stock-facilitator.ts'
import artifact from '../../contracts/artifacts/SandboxBatchSettlement.json' with { type: 'json' }
import { BATCH_SETTLEMENT_ADDRESS, EVM_CHAIN_ID, EVM_NETWORK, USDC_ADDRESS } from './chain-facts.ts'
import { openEscrow } from './test-batch-scene.ts'
import type { Escrow } from './test-batch-scene.ts'

/** Of the types as the stock package signs them, written down apart from the contract's source. */
const TYPE_HASHES = {
  CHANNEL_CONFIG_TYPEHASH: '0x1c9a06ceab9b0ebbd3301dc56c9111bb6d9af421356dc9ccb3b7084c755db308',
  VOUCHER_TYPEHASH: '0x1e1bd6ff84c3e0d9029a292b212e039c0ca97ec497c55191a4a5874294609a69',
  REFUND_TYPEHASH: '0xbe23ad087435072cd69b49cc5b92de10ee610fce7ae0ab428307972d764bb216',
  CLAIM_ENTRY_TYPEHASH: '0x30b9a0367528fca13c3e8ec6134c3113f1887ebe7a1ad61de0955aac288b0cf5',
  CLAIM_BATCH_TYPEHASH: '0x42bd57c010b870c2e96203c66341f28a6a19b4d56a74533a8eb5f706b9fd6d57',
} as const

const relay = privateKeyToAccount(generatePrivateKey())
let sandbox: SandboxHandle
let escrow: Escrow

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true })
  await sandbox.fund(relay.address)
  escrow = openEscrow(sandbox)
})
afterAll(async () => {
  await sandbox.stop()
})

interface Till extends BatchShop {
  readonly scheme: ServerScheme
  readonly facilitator: x402Facilitator
  readonly ids: Hex[]
}

/** A shop with a receiver of its own; who authorizes claims and refunds is its own key, or the facilitator's. */
async function aTill(authorizer: 'own' | 'facilitator'): Promise<Till> {
  const key = privateKeyToAccount(generatePrivateKey())
  const receiver = privateKeyToAccount(generatePrivateKey()).address
  const signer = stockFacilitatorSigner(stockWallet(sandbox, relay))
  const facilitator = new x402Facilitator().register(
    EVM_NETWORK,
    new FacilitatorScheme(signer, authorizer === 'facilitator' ? key : undefined),
  )
  const scheme = new ServerScheme(
    receiver,
    authorizer === 'own' ? { receiverAuthorizerSigner: key } : {},
  )
  const server = new x402ResourceServer(clientOf(facilitator)).register(EVM_NETWORK, scheme)
  await server.initialize()
  return { receiver, server, scheme, facilitator, ids: [] }
}

function clientOf(facilitator: x402Facilitator) {
  return {
    verify: async (payment: PaymentPayload, terms: PaymentRequirements) =>
      await facilitator.verify(payment, terms),
    settle: async (payment: PaymentPayload, terms: PaymentRequirements) =>
      await facilitator.settle(payment, terms),
    getSupported: async () => {
      const { kinds, ...others } = facilitator.getSupported()
      const ours = kinds.map((kind) => ({ ...kind, network: EVM_NETWORK }) as const)
      return await Promise.resolve({ ...others, kinds: ours })
    },
  }
}

const aBuyer = (kind: 'warm' | 'cold', options: BatchSettlementEvmSchemeOptions = {}) =>
  aBatchBuyer(sandbox, kind, options)

/** One paid request; the till remembers its channel. */
async function buy(till: Till, buyer: BatchBuyer, method?: 'permit2') {
  const bought = await buyFrom(escrow, till, buyer, method)
  if (!till.ids.includes(bought.id)) till.ids.push(bought.id)
  return bought
}

/** The escrow holds what its books say. Other tests' channels are in it too, so only what changed is looked at. */
async function balanced(till: Till, before: bigint, expected: bigint): Promise<void> {
  const { held, owed } = await escrow.books(till.ids, [till.receiver])
  expect({ held: held - before, owed }).toEqual({ held: expected, owed: expected })
}
const heldNow = async (): Promise<bigint> => await escrow.balanceOf(BATCH_SETTLEMENT_ADDRESS)

describe('@x402/evm, batch-settlement', () => {
  test('knows the escrow where the sandbox has it, and finds every function it has an interface of', async () => {
    expect(STOCK_ADDRESS).toBe(BATCH_SETTLEMENT_ADDRESS)
    const stock = await stockInterface()
    expect(stock.length).toBeGreaterThan(15)
    const ours = artifact.abi.map(shapeOf)
    for (const item of stock) expect(ours).toContainEqual(shapeOf(item))
  })

  test.each(Object.entries(TYPE_HASHES))('is told the %s that it signs by', async (name, hash) => {
    const chain = createPublicClient({ transport: http(sandbox.rpcUrl) })
    const abi = parseAbi([`function ${name}() view returns (bytes32)`])
    const call = { address: BATCH_SETTLEMENT_ADDRESS, abi, functionName: name } as const
    expect(await chain.readContract(call)).toBe(hash)
  })

  test('finds the domain that it signs for told by the escrow', async () => {
    const chain = createPublicClient({ transport: http(sandbox.rpcUrl) })
    const { domain } = await chain.getEip712Domain({ address: BATCH_SETTLEMENT_ADDRESS })
    expect(domain).toMatchObject({
      ...{ ...BATCH_SETTLEMENT_DOMAIN, chainId: EVM_CHAIN_ID },
      verifyingContract: BATCH_SETTLEMENT_ADDRESS,
    })
  })

  test.each(['own', 'facilitator'] as const)(
    'deposits, spends, claims two channels at once, is paid and gives back, by the key of %s',
    async (authorizer) => {
      const till = await aTill(authorizer)
      const [first, second] = [await aBuyer('cold'), await aBuyer('cold')]
      const before = await heldNow()

      const deposited = await buy(till, first)
      expect(deposited).toMatchObject({
        type: 'deposit',
        settled: {
          ...{ success: true, amount: String(DEPOSIT) },
          extra: { channelState: { balance: String(DEPOSIT), totalClaimed: '0' } },
        },
      })
      await balanced(till, before, DEPOSIT)
      await buy(till, second)
      await balanced(till, before, 2n * DEPOSIT)

      expect(await buy(till, first)).toMatchObject({
        ...{ type: 'voucher', settled: { success: true, transaction: '', amount: '' } },
      })
      expect(await buy(till, first)).toMatchObject({
        ...{ type: 'voucher', settled: { extra: { chargedAmount: String(PRICE) } } },
      })
      await balanced(till, before, 2n * DEPOSIT)

      const manager = till.scheme.createChannelManager(
        clientOf(till.facilitator),
        EVM_NETWORK,
        USDC_ADDRESS,
      )
      expect(await manager.claim()).toMatchObject([{ vouchers: 2 }])
      expect(await escrow.channel(deposited.id)).toEqual([DEPOSIT, 3n * PRICE])
      await balanced(till, before, 2n * DEPOSIT)

      await manager.settle()
      expect(await escrow.balanceOf(till.receiver)).toBe(4n * PRICE)
      await balanced(till, before, 2n * DEPOSIT - 4n * PRICE)
      await expect(manager.settle()).rejects.toThrow('nothing_to_settle')

      // One that is not yet claimed is claimed and the rest given back in one transaction.
      await buy(till, first)
      expect(await askBack(till, first, '500')).toMatchObject({ success: true, amount: '500' })
      expect(await escrow.channel(deposited.id)).toEqual([DEPOSIT - 500n, 4n * PRICE])
      await balanced(till, before, 2n * DEPOSIT - 4n * PRICE - 500n)
      expect(await askBack(till, first)).toMatchObject({
        ...{ success: true, amount: String(DEPOSIT - 500n - 4n * PRICE) },
      })
      expect(await escrow.balanceOf(first.account.address)).toBe(FUNDS - 4n * PRICE)
      expect(await escrow.refundNonce(deposited.id)).toBe(2n)

      await manager.settle()
      expect(await escrow.balanceOf(till.receiver)).toBe(5n * PRICE)
      await balanced(till, before, DEPOSIT - PRICE)
      expect(await manager.refund()).toHaveLength(1)
      await balanced(till, before, 0n)
      expect(await escrow.balanceOf(second.account.address)).toBe(FUNDS - PRICE)
    },
  )

  test.each(['warm', 'cold'] as const)('deposits by Permit2 from a %s wallet', async (kind) => {
    const till = await aTill('own')
    const buyer = await aBuyer(kind)
    const before = await heldNow()
    expect(await buy(till, buyer, 'permit2')).toMatchObject({
      ...{ type: 'deposit', settled: { success: true, amount: String(DEPOSIT) } },
    })
    expect(await buy(till, buyer, 'permit2')).toMatchObject({ type: 'voucher' })
    await balanced(till, before, DEPOSIT)
    expect(await escrow.balanceOf(buyer.account.address)).toBe(FUNDS - DEPOSIT)
  })

  test.each<readonly [string, BatchSettlementEvmSchemeOptions]>([
    ['a key that the channel names', { voucherSigner: privateKeyToAccount(generatePrivateKey()) }],
    ['the payer, where it names none', { payerAuthorizer: zeroAddress }],
  ])('is claimed by vouchers of %s', async (_, options) => {
    const till = await aTill('own')
    const buyer = await aBuyer('cold', options)
    const before = await heldNow()
    await buy(till, buyer)
    const { id } = await buy(till, buyer)
    const client = clientOf(till.facilitator)
    await till.scheme.createChannelManager(client, EVM_NETWORK, USDC_ADDRESS).claimAndSettle()
    expect(await escrow.channel(id)).toEqual([DEPOSIT, 2n * PRICE])
    expect(await escrow.balanceOf(till.receiver)).toBe(2n * PRICE)
    await balanced(till, before, DEPOSIT - 2n * PRICE)
  })

  test('tops a channel up when it is spent, and refuses the deposit a second time', async () => {
    const till = await aTill('own')
    const buyer = await aBuyer('cold')
    const before = await heldNow()
    const terms = await batchTerms(till)
    for (let bought = 0n; bought < DEPOSIT / PRICE; bought += 1n) await buy(till, buyer)
    const more = await buy(till, buyer)
    expect(more.type).toBe('deposit')
    expect(await escrow.channel(more.id)).toEqual([2n * DEPOSIT, 0n])
    await balanced(till, before, 2n * DEPOSIT)

    const fresh = await aBuyer('cold')
    const payment = await fresh.client.createPaymentPayload({
      ...{ x402Version: 2, accepts: [terms], resource: { url: 'https://shop.example/report' } },
    })
    expect(await till.facilitator.settle(payment, terms)).toMatchObject({ success: true })
    expect(await till.facilitator.settle(payment, terms)).toMatchObject({
      ...{ success: false, transaction: '' },
      errorReason: 'invalid_batch_settlement_evm_deposit_simulation_failed',
    })
  })
})

interface AbiItem {
  readonly type: string
  readonly name?: string
  readonly stateMutability?: string
  readonly inputs?: readonly AbiParameter[]
  readonly outputs?: readonly AbiParameter[]
}
interface AbiParameter {
  readonly name?: string
  readonly type: string
  readonly indexed?: boolean
  readonly components?: readonly AbiParameter[]
}

/** What a caller has to know of an item: all but the names that only a compiler knows. */
function shapeOf({ type, name, stateMutability, inputs = [], outputs = [] }: AbiItem): unknown {
  const parameter = ({ name, type, indexed, components }: AbiParameter): unknown => ({
    ...{ name: name ?? '', type, indexed: indexed === true },
    components: (components ?? []).map(parameter),
  })
  const shape = { type, name, stateMutability: stateMutability ?? '' }
  return { ...shape, inputs: inputs.map(parameter), outputs: outputs.map(parameter) }
}

/** The package exports no interface; its facilitator hands it to whoever reads the chain for it. */
async function stockInterface(): Promise<readonly AbiItem[]> {
  let seen: readonly AbiItem[] = []
  const signer = stockFacilitatorSigner(stockWallet(sandbox, relay))
  const listening = {
    ...signer,
    readContract: async (call: Parameters<typeof signer.readContract>[0]) => {
      seen = call.abi as readonly AbiItem[]
      return await signer.readContract(call)
    },
  }
  const till = await aTill('own')
  const terms = await batchTerms(till)
  const facilitator = new x402Facilitator().register(EVM_NETWORK, new FacilitatorScheme(listening))
  const payload = { type: 'settle', receiver: till.receiver, token: USDC_ADDRESS }
  expect(
    await facilitator.settle({ x402Version: 2, accepted: terms, payload }, terms),
  ).toMatchObject({ errorReason: 'invalid_batch_settlement_evm_nothing_to_settle' })
  return seen
}
