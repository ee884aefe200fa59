import { createPublicClient, erc20Abi, http, parseAbi } from 'viem'
import type { Address } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { x402Client } from '@x402/core/client'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import {
  uptoPermit2WitnessTypes,
  x402UptoPermit2ProxyABI,
  x402UptoPermit2ProxyAddress,
} from '@x402/evm'
import { UptoEvmScheme as ClientScheme } from '@x402/evm/upto/client'
import { UptoEvmScheme as FacilitatorScheme } from '@x402/evm/upto/facilitator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { stockFacilitatorSigner, stockWallet } from '../../../e2e/actors/stock-facilitator.ts'
import { PERMIT2_ADDRESS, UPTO_PROXY_ADDRESS, USDC_ADDRESS } from './chain-facts.ts'
import { aStockBuyer } from './test-stock-buyer.ts'

const NETWORK = 'eip155:84532'
const MOST = 250_000n
const USED = 70_000n
const FUNDS = 10_000_000n
const HOUR = 3_600n
const ABI = [
  ...x402UptoPermit2ProxyABI,
  ...parseAbi([
    'error InvalidAmount()',
    'error InvalidNonce()',
    'error SignatureExpired(uint256 signatureDeadline)',
    'error InvalidSigner()',
  ]),
] as const

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
  return new x402Facilitator().register(NETWORK, new FacilitatorScheme(signer))
}

interface Buyer {
  readonly account: ReturnType<typeof privateKeyToAccount>
  pay(): Promise<PaymentPayload>
}

/** With ten USDC; `warm` has approved Permit2 before. */
async function aBuyer(kind: 'warm' | 'cold'): Promise<Buyer> {
  const { account, signer } = await aStockBuyer(sandbox, kind)
  const scheme = new ClientScheme(signer)
  return {
    account,
    pay: async () =>
      new x402Client().register(NETWORK, scheme).createPaymentPayload({
        x402Version: 2,
        resource: { url: 'https://shop.example/report' },
        accepts: [requirements(MOST)],
        extensions: kind === 'cold' ? { eip2612GasSponsoring: { info: {}, schema: {} } } : {},
      }),
  }
}

/** `amount` is the most at first and what was used at the end. */
function requirements(amount: bigint): PaymentRequirements {
  return {
    scheme: 'upto',
    network: NETWORK,
    asset: sandbox.usdc,
    amount: String(amount),
    payTo: seller,
    maxTimeoutSeconds: 60,
    extra: { name: 'USDC', version: '2', facilitatorAddress: relay.address },
  }
}

async function usdcOf(owner: Address): Promise<bigint> {
  return createPublicClient({ transport: http(sandbox.rpcUrl) }).readContract({
    ...{ address: USDC_ADDRESS, abi: erc20Abi, functionName: 'balanceOf' },
    args: [owner],
  })
}

describe('@x402/evm, upto', () => {
  test('knows the proxy where the sandbox has it', () => {
    expect(x402UptoPermit2ProxyAddress).toBe(UPTO_PROXY_ADDRESS)
  })

  test.each(['warm', 'cold'] as const)(
    'takes once, and only what was used, from a %s wallet',
    async (kind) => {
      const buyer = await aBuyer(kind)
      const facilitator = openFacilitator()
      const payment = await buyer.pay()
      const before = await usdcOf(seller)
      expect(await facilitator.verify(payment, requirements(MOST))).toMatchObject({ isValid: true })
      expect(await facilitator.settle(payment, requirements(MOST + 1n))).toMatchObject({
        success: false,
        errorReason: 'invalid_upto_evm_payload_settlement_exceeds_amount',
      })
      expect(await facilitator.settle(payment, requirements(USED))).toMatchObject({
        success: true,
        amount: String(USED),
      })
      expect(await usdcOf(seller)).toBe(before + USED)
      expect(await usdcOf(buyer.account.address)).toBe(FUNDS - USED)
      expect(await facilitator.settle(payment, requirements(USED))).toMatchObject({
        success: false,
      })
      expect(await usdcOf(seller)).toBe(before + USED)
    },
  )

  test('is told that a wallet has not approved Permit2', async () => {
    const buyer = await aBuyer('cold')
    const { extensions: _, ...payment } = await buyer.pay()
    expect(await openFacilitator().verify(payment, requirements(MOST))).toMatchObject({
      isValid: false,
      invalidReason: 'permit2_allowance_required',
    })
  })
})

describe('the proxy of upto', () => {
  interface Terms {
    readonly amount: bigint
    readonly nonce: bigint
    readonly deadline: bigint
    readonly validAfter: bigint
    readonly to: Address
    readonly facilitator: Address
  }
  const now = (): bigint => BigInt(Math.floor(Date.now() / 1_000))
  const other = privateKeyToAccount(generatePrivateKey()).address

  /** Signs the first and submits the second, which may say something else; gives the error's name. */
  async function submit(
    buyer: Buyer,
    said: Partial<Terms> = {},
    changed: Partial<Terms & { taken: bigint }> = {},
  ): Promise<string> {
    const plain = { amount: MOST, nonce: now(), deadline: now() + HOUR, validAfter: 0n }
    const terms: Terms = { ...plain, to: seller, facilitator: relay.address, ...said }
    const { to, facilitator, validAfter } = terms
    const signature = await buyer.account.signTypedData({
      domain: { name: 'Permit2', chainId: 84_532, verifyingContract: PERMIT2_ADDRESS },
      types: uptoPermit2WitnessTypes,
      primaryType: 'PermitWitnessTransferFrom',
      message: {
        permitted: { token: USDC_ADDRESS, amount: terms.amount },
        spender: UPTO_PROXY_ADDRESS,
        nonce: terms.nonce,
        deadline: terms.deadline,
        witness: { to, facilitator, validAfter },
      },
    })
    const { taken = USED, ...shown } = { ...terms, ...changed }
    const { amount, nonce, deadline } = shown
    const permit = { permitted: { token: USDC_ADDRESS, amount }, nonce, deadline } as const
    const witness = {
      ...{ to: shown.to, facilitator: shown.facilitator, validAfter: shown.validAfter },
    }
    const wallet = stockWallet(sandbox, relay)
    try {
      const { request } = await wallet.simulateContract({
        ...{ address: UPTO_PROXY_ADDRESS, abi: ABI, functionName: 'settle' },
        args: [permit, taken, buyer.account.address, witness, signature],
      })
      const hash = await wallet.writeContract(request)
      return (await wallet.waitForTransactionReceipt({ hash })).status
    } catch (error) {
      return /Error: (\w+)\(/.exec(String(error))?.[1] ?? String(error)
    }
  }

  test('refuses what the owner did not sign, by the names of the public contract', async () => {
    const buyer = await aBuyer('warm')
    expect(await submit(buyer, {}, { amount: MOST + 1n })).toBe('InvalidSigner')
    expect(await submit(buyer, {}, { to: other })).toBe('InvalidSigner')
    expect(await submit(buyer, {}, { validAfter: 1n })).toBe('InvalidSigner')
    expect(await submit(buyer, {}, { taken: MOST + 1n })).toBe('AmountExceedsPermitted')
    expect(await submit(buyer, {}, { taken: 0n })).toBe('InvalidAmount')
    expect(await submit(buyer, { to: `0x${'00'.repeat(20)}` })).toBe('InvalidDestination')
    expect(await submit(buyer, { deadline: now() - HOUR })).toBe('SignatureExpired')
    expect(await submit(buyer, { validAfter: now() + HOUR })).toBe('PaymentTooEarly')
    expect(await usdcOf(buyer.account.address)).toBe(FUNDS)
  })

  test('serves the facilitator that the owner signed for, and no other', async () => {
    const buyer = await aBuyer('warm')
    expect(await submit(buyer, { facilitator: other })).toBe('UnauthorizedFacilitator')
    expect(await submit(buyer, { facilitator: other }, { facilitator: relay.address })).toBe(
      'InvalidSigner',
    )
    expect(await usdcOf(buyer.account.address)).toBe(FUNDS)
  })

  test('takes a nonce once, though less than was signed was taken', async () => {
    const buyer = await aBuyer('warm')
    expect(await submit(buyer, { nonce: 513n })).toBe('success')
    expect(await submit(buyer, { nonce: 513n }, { taken: 1n })).toBe('InvalidNonce')
    expect(await submit(buyer, { nonce: 514n }, { taken: MOST })).toBe('success')
    expect(await usdcOf(buyer.account.address)).toBe(FUNDS - USED - MOST)
  })
})
