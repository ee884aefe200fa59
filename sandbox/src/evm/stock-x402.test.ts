import {
  createPublicClient,
  createWalletClient,
  http,
  nonceManager,
  parseAbi,
  publicActions,
  toHex,
} from 'viem'
import type { Address, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { registerExactEvmScheme as registerClient } from '@x402/evm/exact/client'
import { registerExactEvmScheme as registerFacilitator } from '@x402/evm/exact/facilitator'
import { ExactEvmScheme as ExactServer } from '@x402/evm/exact/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { until } from '../../../server/src/kernel/until.ts'
import { EVM_NETWORK, USDC_ADDRESS } from './chain-facts.ts'

const NETWORK = 'eip155:84532'
const NETWORK_V1 = 'base-sepolia'
const RESOURCE = { url: 'https://shop.example/report' }
const AMOUNT = 250_000n
const NOTHING = [0n, 0n]
const DOMAIN = { name: 'USDC', version: '2' }
const BALANCE = parseAbi(['function balanceOf(address) view returns (uint256)'])
/** Answers every call with EIP-1271's "valid": push the magic value, return it. */
const SAYS_YES = '0x631626ba7e60e01b5f5260205ff3'

const buyer = privateKeyToAccount(generatePrivateKey())
const seller = privateKeyToAccount(generatePrivateKey()).address
const relays = [newRelay(), newRelay()] as const
let sandbox: SandboxHandle

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true })
  await Promise.all([
    // No native currency: the facilitator pays the gas.
    sandbox.fund(buyer.address, 'USDC', '10'),
    ...relays.map(({ address }) => sandbox.fund(address)),
  ])
})
afterAll(async () => {
  await sandbox.stop()
})

function newRelay() {
  return privateKeyToAccount(generatePrivateKey(), { nonceManager })
}
/** viem on the sandbox, taken for Base Sepolia. */
function openWallet(relay: ReturnType<typeof newRelay>) {
  return createWalletClient({
    account: relay,
    chain: baseSepolia,
    transport: http(sandbox.rpcUrl),
    pollingInterval: 20,
    cacheTime: 0,
  }).extend(publicActions)
}
/** Each has its own memory of what is under way. With a limit of gas of its own it does not ask for one. */
function openFacilitator(
  relay = relays[0],
  own: { readonly gas?: bigint; readonly whenSent?: () => void } = {},
): x402Facilitator {
  const wallet = openWallet(relay)
  const signer = toFacilitatorEvmSigner({
    address: relay.address,
    readContract: (call) => wallet.readContract({ ...call, args: call.args ?? [] }),
    verifyTypedData: (call) =>
      wallet.verifyTypedData(call as Parameters<typeof wallet.verifyTypedData>[0]),
    writeContract: async (call) => {
      const { gas } = own
      const hash = await wallet.writeContract(gas === undefined ? call : { ...call, gas })
      own.whenSent?.()
      return hash
    },
    sendTransaction: (call) => wallet.sendTransaction(call),
    waitForTransactionReceipt: (call) => wallet.waitForTransactionReceipt(call),
    getCode: (call) => wallet.getCode(call),
  })
  return registerFacilitator(new x402Facilitator(), { signer, networks: NETWORK })
}
const openClient = (): x402Client => registerClient(new x402Client(), { signer: buyer })

function requirements(part: Partial<PaymentRequirements> = {}): PaymentRequirements {
  return {
    scheme: 'exact',
    network: NETWORK,
    asset: sandbox.usdc,
    amount: String(AMOUNT),
    payTo: seller,
    maxTimeoutSeconds: 60,
    extra: DOMAIN,
    ...part,
  }
}
async function pay(accepted: PaymentRequirements): Promise<PaymentPayload> {
  const required = { x402Version: 2, resource: RESOURCE, accepts: [accepted] }
  return await openClient().createPaymentPayload(required)
}
async function usdcOf(owner: Address): Promise<bigint> {
  return await createPublicClient({ transport: http(sandbox.rpcUrl) }).readContract({
    address: USDC_ADDRESS,
    abi: BALANCE,
    functionName: 'balanceOf',
    args: [owner],
  })
}
/** What the seller got and the buyer gave while something was done. */
async function moved(work: () => Promise<void>): Promise<readonly [bigint, bigint]> {
  const before = [await usdcOf(seller), await usdcOf(buyer.address)] as const
  await work()
  return [(await usdcOf(seller)) - before[0], before[1] - (await usdcOf(buyer.address))]
}
/** The authorization in a payment, changed and signed again by nobody. */
function changed(payment: PaymentPayload, change: Record<string, string>): PaymentPayload {
  const authorization = { ...Object(payment.payload['authorization']), ...change } as object
  return { ...payment, payload: { ...payment.payload, authorization } }
}

describe('@x402/evm, exact by EIP-3009', () => {
  test('version 2: the money moves once, and the facilitator pays the gas', async () => {
    expect(EVM_NETWORK).toBe(NETWORK)
    const accepted = requirements()
    const facilitator = openFacilitator()
    const once = await moved(async () => {
      const payment = await pay(accepted)
      const verdict = { isValid: true, payer: buyer.address }
      expect(await facilitator.verify(payment, accepted)).toMatchObject(verdict)
      const settled = await facilitator.settle(payment, accepted)
      expect(settled).toMatchObject({ success: true, network: NETWORK, payer: buyer.address })
      const wallet = openWallet(relays[0])
      const receipt = await wallet.getTransactionReceipt({ hash: settled.transaction as Hex })
      expect(receipt).toMatchObject({ status: 'success', from: relays[0].address.toLowerCase() })
    })
    expect(once).toEqual([AMOUNT, AMOUNT])
  })

  test('version 1: the same over its network name', async () => {
    const { amount, ...rest } = requirements()
    const texts = { resource: RESOURCE.url, description: 'a report', mimeType: 'application/json' }
    const required = { ...rest, ...texts, network: NETWORK_V1, maxAmountRequired: amount }
    const client = new x402HTTPClient(openClient())
    const body = { x402Version: 1, accepts: [required] }
    const asked = client.getPaymentRequiredResponse(() => null, body)
    const [accepted] = asked.accepts
    if (accepted === undefined) throw new Error('nothing is asked for')
    const facilitator = openFacilitator()
    const once = await moved(async () => {
      const payment = await client.createPaymentPayload(asked)
      expect(await facilitator.verify(payment, accepted)).toMatchObject({ isValid: true })
      const settled = await facilitator.settle(payment, accepted)
      expect(settled).toMatchObject({ success: true, network: NETWORK_V1, payer: buyer.address })
      expect(await facilitator.verify(payment, accepted)).toMatchObject({ isValid: false })
    })
    expect(once).toEqual([AMOUNT, AMOUNT])
  })

  test('a server asks for dollars, in the token of the sandbox', async () => {
    const price = await new ExactServer().parsePrice('$0.25', NETWORK)
    expect(price).toMatchObject({ amount: String(AMOUNT), asset: sandbox.usdc, extra: DOMAIN })
  })

  test('ten payments at once all settle', async () => {
    const facilitator = openFacilitator()
    const accepted = requirements({ amount: '1000' })
    const all = await moved(async () => {
      const payments = await Promise.all(Array.from({ length: 10 }, () => pay(accepted)))
      const settled = await Promise.all(payments.map((one) => facilitator.settle(one, accepted)))
      expect(settled.map(({ success }) => success)).toEqual(Array.from(settled, () => true))
      expect(new Set(settled.map(({ transaction }) => transaction)).size).toBe(10)
    })
    expect(all).toEqual([10_000n, 10_000n])
  })

  test('a payer that is a contract is asked by EIP-1271', async () => {
    const contract = privateKeyToAccount(generatePrivateKey()).address
    await sandbox.fund(contract, 'USDC', '1')
    const call = { jsonrpc: '2.0', id: 1, method: 'anvil_setCode', params: [contract, SAYS_YES] }
    await fetch(sandbox.rpcUrl, { method: 'POST', body: JSON.stringify(call) })
    const accepted = requirements()
    const payment = changed(await pay(accepted), { from: contract })
    const facilitator = openFacilitator()
    expect(await facilitator.verify(payment, accepted)).toMatchObject({
      isValid: true,
      payer: contract,
    })
    expect(await facilitator.settle(payment, accepted)).toMatchObject({ success: true })
    expect(await usdcOf(contract)).toBe(1_000_000n - AMOUNT)
  })
})

describe('a payment that was settled', () => {
  test('is refused by everybody, by name', async () => {
    const accepted = requirements()
    const payment = await pay(accepted)
    const facilitator = openFacilitator()
    expect(await facilitator.settle(payment, accepted)).toMatchObject({ success: true })
    const reason = 'invalid_exact_evm_nonce_already_used'
    await refused(payment, accepted, reason)
    expect(await facilitator.settle(payment, accepted)).toMatchObject({ errorReason: reason })
  })

  test('by two at the same time moves once, and the other transaction reverts', async () => {
    const accepted = requirements()
    const payment = await pay(accepted)
    let sent = 0
    // An estimate would see the other's transaction in the pool.
    const own = { gas: 200_000n, whenSent: () => void (sent += 1) }
    const facilitators = relays.map((relay) => openFacilitator(relay, own))
    await sandbox.fault({ kind: 'stop-blocks' })
    const once = await moved(async () => {
      const settling = Promise.all(facilitators.map((one) => one.settle(payment, accepted)))
      await until('both are on their way', async () => sent === 2, { seconds: 30 })
      await sandbox.fault({ kind: 'resume-blocks' })
      const settled = await settling
      expect(settled.map(({ success }) => success).toSorted()).toEqual([false, true])
      expect(settled.find(({ success }) => !success)).toMatchObject({
        errorReason: 'invalid_exact_evm_transaction_failed',
        transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      })
    })
    expect(once).toEqual([AMOUNT, AMOUNT])
  })
})

async function refused(
  payment: PaymentPayload,
  accepted: PaymentRequirements,
  reason: string,
): Promise<void> {
  const facilitator = openFacilitator()
  const nothing = await moved(async () => {
    const verdict = await facilitator.verify(payment, accepted)
    expect(verdict).toMatchObject({ isValid: false, invalidReason: reason })
    const settled = await facilitator.settle(payment, accepted)
    expect(settled).toMatchObject({ success: false, transaction: '', errorReason: reason })
  })
  expect(nothing).toEqual(NOTHING)
}

describe('a payment that must not settle', () => {
  const other = privateKeyToAccount(generatePrivateKey()).address
  test.each([
    ['of another amount', { amount: '250001' }, 'payload_authorization_value_mismatch'],
    ['to somebody else', { payTo: other }, 'recipient_mismatch'],
    ['in a token of another name', { extra: { name: 'USD Coin', version: '2' } }, 'signature'],
    ['without a domain', { extra: {} }, 'missing_eip712_domain'],
  ])('%s is named, and nothing moves', async (_, change, reason) => {
    const payment = await pay(requirements())
    await refused(payment, requirements(change), `invalid_exact_evm_${reason}`)
  })

  test('on another network is named, and nothing moves', async () => {
    const accepted = requirements()
    const payment = await pay(accepted)
    const elsewhere = { ...payment, accepted: requirements({ network: 'eip155:8453' }) }
    await refused(elsewhere, accepted, 'invalid_exact_evm_network_mismatch')
  })

  test.each([
    ['validBefore', '1', 'payload_authorization_valid_before'],
    ['validAfter', '99999999999', 'payload_authorization_valid_after'],
  ])('whose %s is %s is out of its time', async (field, value, reason) => {
    const accepted = requirements()
    const { payload } = await pay(accepted)
    const authorization = { ...Object(payload['authorization']), [field]: value } as Authorization
    const signature = await buyer.signTypedData({
      domain: { ...DOMAIN, chainId: 84_532, verifyingContract: USDC_ADDRESS },
      types: { TransferWithAuthorization: FIELDS },
      primaryType: 'TransferWithAuthorization',
      message: {
        ...authorization,
        value: BigInt(authorization.value),
        validAfter: BigInt(authorization.validAfter),
        validBefore: BigInt(authorization.validBefore),
      },
    })
    const payment = { x402Version: 2, accepted, payload: { authorization, signature } }
    await refused(payment, accepted, `invalid_exact_evm_${reason}`)
  })

  test('because somebody changed it is found by its signature', async () => {
    const accepted = requirements()
    const nonce = toHex(crypto.getRandomValues(new Uint8Array(32)))
    const payment = changed(await pay(accepted), { nonce })
    await refused(payment, accepted, 'invalid_exact_evm_signature')
  })

  test('because there is no money is named by both', async () => {
    const accepted = requirements({ amount: '999000' })
    const poor = privateKeyToAccount(generatePrivateKey())
    const payment = await registerClient(new x402Client(), { signer: poor }).createPaymentPayload({
      x402Version: 2,
      resource: RESOURCE,
      accepts: [accepted],
    })
    await refused(payment, accepted, 'invalid_exact_evm_insufficient_balance')
  })
})

interface Authorization {
  readonly from: Address
  readonly to: Address
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  readonly nonce: Hex
}
const FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
