import { createPublicClient, erc20Abi, http, parseAbi } from 'viem'
import type { Address } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { x402Client } from '@x402/core/client'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import {
  PERMIT2_ADDRESS as THEIR_PERMIT2,
  permit2WitnessTypes,
  x402ExactPermit2ProxyABI,
  x402ExactPermit2ProxyAddress,
} from '@x402/evm'
import { registerExactEvmScheme as registerClient } from '@x402/evm/exact/client'
import { registerExactEvmScheme as registerFacilitator } from '@x402/evm/exact/facilitator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { stockFacilitatorSigner, stockWallet } from '../../../e2e/actors/stock-facilitator.ts'
import { EXACT_PROXY_ADDRESS, PERMIT2_ADDRESS, USDC_ADDRESS } from './chain-facts.ts'
import { aStockBuyer } from './test-stock-buyer.ts'

const NETWORK = 'eip155:84532'
const AMOUNT = 250_000n
const HOUR = 3_600n
const PERMIT2 = parseAbi([
  'error InvalidNonce()',
  'error SignatureExpired(uint256 signatureDeadline)',
  'error InvalidSigner()',
  'error InvalidSignatureLength()',
  'function invalidateUnorderedNonces(uint256 word, uint256 mask)',
  'function nonceBitmap(address, uint256) view returns (uint256)',
])
const ABI = [...x402ExactPermit2ProxyABI, ...PERMIT2] as const

const seller = privateKeyToAccount(generatePrivateKey()).address
const relay = privateKeyToAccount(generatePrivateKey())
let sandbox: SandboxHandle

beforeAll(async () => {
  sandbox = await startSandbox({ faults: false })
  await sandbox.fund(relay.address)
})
afterAll(async () => {
  await sandbox.stop()
})

function openFacilitator(): x402Facilitator {
  const signer = stockFacilitatorSigner(stockWallet(sandbox, relay))
  return registerFacilitator(new x402Facilitator(), { signer, networks: NETWORK })
}

interface Buyer {
  readonly account: ReturnType<typeof privateKeyToAccount>
  pay(part?: Partial<PaymentRequirements>): Promise<PaymentPayload>
}

/** With ten USDC; `warm` has approved Permit2 before. */
async function aBuyer(kind: 'warm' | 'cold'): Promise<Buyer> {
  const { account, signer } = await aStockBuyer(sandbox, kind)
  const client = registerClient(new x402Client(), { signer })
  return {
    account,
    pay: async (part) =>
      client.createPaymentPayload({
        x402Version: 2,
        resource: { url: 'https://shop.example/report' },
        accepts: [requirements(part)],
        extensions: kind === 'cold' ? { eip2612GasSponsoring: { info: {}, schema: {} } } : {},
      }),
  }
}

function requirements(part: Partial<PaymentRequirements> = {}): PaymentRequirements {
  return {
    scheme: 'exact',
    network: NETWORK,
    asset: sandbox.usdc,
    amount: String(AMOUNT),
    payTo: seller,
    maxTimeoutSeconds: 60,
    extra: { name: 'USDC', version: '2', assetTransferMethod: 'permit2' },
    ...part,
  }
}

async function usdcOf(owner: Address): Promise<bigint> {
  return createPublicClient({ transport: http(sandbox.rpcUrl) }).readContract({
    ...{ address: USDC_ADDRESS, abi: erc20Abi, functionName: 'balanceOf' },
    args: [owner],
  })
}

describe('@x402/evm, exact by Permit2', () => {
  test('knows both contracts where the sandbox has them', () => {
    expect([THEIR_PERMIT2, x402ExactPermit2ProxyAddress]).toEqual([
      PERMIT2_ADDRESS,
      EXACT_PROXY_ADDRESS,
    ])
  })

  test.each(['warm', 'cold'] as const)('pays once from a %s wallet', async (kind) => {
    const buyer = await aBuyer(kind)
    const facilitator = openFacilitator()
    const payment = await buyer.pay()
    const before = await usdcOf(seller)
    expect(await facilitator.verify(payment, requirements())).toMatchObject({ isValid: true })
    expect(await facilitator.settle(payment, requirements())).toMatchObject({ success: true })
    expect(await usdcOf(seller)).toBe(before + AMOUNT)
    expect(await usdcOf(buyer.account.address)).toBe(10_000_000n - AMOUNT)
    expect(await facilitator.settle(payment, requirements())).toMatchObject({ success: false })
    expect(await usdcOf(seller)).toBe(before + AMOUNT)
  })

  test('is told that a wallet has not approved Permit2', async () => {
    const buyer = await aBuyer('cold')
    const { extensions: _, ...payment } = await buyer.pay()
    expect(await openFacilitator().verify(payment, requirements())).toMatchObject({
      isValid: false,
      invalidReason: 'permit2_allowance_required',
    })
  })
})

describe('the proxy', () => {
  interface Terms {
    readonly amount: bigint
    readonly nonce: bigint
    readonly deadline: bigint
    readonly validAfter: bigint
    readonly to: Address
  }
  const now = (): bigint => BigInt(Math.floor(Date.now() / 1_000))

  /** Signs the first and submits the second, which may say something else; gives the error's name. */
  async function submit(
    buyer: Buyer,
    said: Partial<Terms> = {},
    changed: Partial<Terms> = {},
    sign = (signature: `0x${string}`) => signature,
  ): Promise<string> {
    const plain = { amount: AMOUNT, nonce: now(), deadline: now() + HOUR, validAfter: 0n }
    const terms = { ...plain, to: seller, ...said }
    const signature = await buyer.account.signTypedData({
      domain: { name: 'Permit2', chainId: 84_532, verifyingContract: PERMIT2_ADDRESS },
      types: permit2WitnessTypes,
      primaryType: 'PermitWitnessTransferFrom',
      message: {
        permitted: { token: USDC_ADDRESS, amount: terms.amount },
        spender: EXACT_PROXY_ADDRESS,
        nonce: terms.nonce,
        deadline: terms.deadline,
        witness: { to: terms.to, validAfter: terms.validAfter },
      },
    })
    const { amount, nonce, deadline, to, validAfter } = { ...terms, ...changed }
    const permit = { permitted: { token: USDC_ADDRESS, amount }, nonce, deadline } as const
    const wallet = stockWallet(sandbox, relay)
    try {
      const { request } = await wallet.simulateContract({
        ...{ address: EXACT_PROXY_ADDRESS, abi: ABI, functionName: 'settle' },
        args: [permit, buyer.account.address, { to, validAfter }, sign(signature)],
      })
      const hash = await wallet.writeContract(request)
      return (await wallet.waitForTransactionReceipt({ hash })).status
    } catch (error) {
      return /Error: (\w+)\(/.exec(String(error))?.[1] ?? String(error)
    }
  }

  test('refuses what the owner did not sign, by the names of the public contracts', async () => {
    const buyer = await aBuyer('warm')
    const other = privateKeyToAccount(generatePrivateKey()).address
    const past = now() - HOUR
    expect(await submit(buyer, {}, { amount: AMOUNT + 1n })).toBe('InvalidSigner')
    expect(await submit(buyer, {}, { to: other })).toBe('InvalidSigner')
    expect(await submit(buyer, {}, { validAfter: 1n })).toBe('InvalidSigner')
    expect(await submit(buyer, {}, {}, () => '0x1234')).toBe('InvalidSignatureLength')
    expect(await submit(buyer, { amount: 0n })).toBe('InvalidAmount')
    expect(await submit(buyer, { to: `0x${'00'.repeat(20)}` })).toBe('InvalidDestination')
    expect(await submit(buyer, { deadline: past })).toBe('SignatureExpired')
    expect(await submit(buyer, { validAfter: now() + HOUR })).toBe('PaymentTooEarly')
    expect(await usdcOf(buyer.account.address)).toBe(10_000_000n)
  })

  test('takes a nonce once, whatever it is for, and none that its owner used up', async () => {
    const buyer = await aBuyer('warm')
    expect(await submit(buyer, { nonce: 513n })).toBe('success')
    expect(await submit(buyer, { nonce: 513n, amount: 1n })).toBe('InvalidNonce')
    expect(await submit(buyer, { nonce: 514n })).toBe('success')
    const wallet = stockWallet(sandbox, buyer.account)
    const permit2 = { address: PERMIT2_ADDRESS, abi: PERMIT2 } as const
    const hash = await wallet.writeContract({
      ...{ ...permit2, functionName: 'invalidateUnorderedNonces', args: [2n, 8n] },
    })
    await wallet.waitForTransactionReceipt({ hash })
    expect(await submit(buyer, { nonce: 515n })).toBe('InvalidNonce')
    const bitmap = await wallet.readContract({
      ...{ ...permit2, functionName: 'nonceBitmap', args: [buyer.account.address, 2n] },
    })
    expect(bitmap).toBe(0b1110n)
    expect(await usdcOf(buyer.account.address)).toBe(10_000_000n - 2n * AMOUNT)
  })
})
