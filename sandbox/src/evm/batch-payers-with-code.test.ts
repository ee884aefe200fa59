import { createPublicClient, http, isHex, parseAbi, zeroAddress } from 'viem'
import type { Address, Hex, PrivateKeyAccount } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { stockWallet } from '../../../e2e/actors/stock-facilitator.ts'
import testWallet from '../../contracts/artifacts/TestWallet.json' with { type: 'json' }
import {
  BATCH_SETTLEMENT_ADDRESS,
  ERC3009_COLLECTOR_ADDRESS,
  PERMIT2_COLLECTOR_ADDRESS,
  USDC_ADDRESS,
} from './chain-facts.ts'
import {
  aClaim,
  aConfig,
  approved,
  authorized,
  callOf,
  openEscrow,
  permitted,
  signBatch,
  signRefund,
} from './test-batch-scene.ts'
import type { ChannelConfig, Escrow } from './test-batch-scene.ts'

const FUNDS = 10_000_000n
const DEPOSIT = 1_000_000n

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

const aKey = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

/** A key with gas. */
async function aCaller(): Promise<PrivateKeyAccount> {
  const account = aKey()
  await sandbox.fund(account.address)
  return account
}

/** An account with code and ten USDC. Signs as its owner, and has the address of its code. */
async function aWallet(owner = aKey()): Promise<PrivateKeyAccount> {
  const { bytecode } = testWallet
  if (!isHex(bytecode)) throw new Error('the artifact has no bytecode')
  const wallet = stockWallet(sandbox, relay)
  const abi = parseAbi(['constructor(uint8 trick, address owner)'])
  const hash = await wallet.deployContract({ abi, bytecode, args: [0, owner.address] })
  const { contractAddress } = await wallet.waitForTransactionReceipt({ hash })
  if (contractAddress === null || contractAddress === undefined)
    throw new Error('no wallet was deployed')
  await sandbox.fund(contractAddress, 'USDC', '10')
  return { ...owner, address: contractAddress }
}

/** A channel of a wallet with code with a million in it; the keys of its receiver and its authorizer have gas. */
async function aChannel(change: Partial<ChannelConfig> = {}) {
  const [payer, receiver, authorizer] = [await aWallet(), await aCaller(), await aCaller()]
  const config = aConfig(payer.address, {
    ...{ payerAuthorizer: zeroAddress },
    ...{ receiver: receiver.address, receiverAuthorizer: authorizer.address },
    ...change,
  })
  const id = await escrow.idOf(config)
  const before = await escrow.balanceOf(BATCH_SETTLEMENT_ADDRESS)
  expect(await bring(config, await authorized(payer, id, DEPOSIT))).toBe('success')
  /** What the escrow has more than before it, by the token and by its books. */
  const balanced = async (expected: bigint): Promise<void> => {
    const { held, owed } = await escrow.books([id], [config.receiver])
    expect({ held: held - before, owed }).toEqual({ held: expected, owed: expected })
  }
  await balanced(DEPOSIT)
  const claim = async (signer: PrivateKeyAccount, total: bigint): Promise<string> =>
    await escrow.send(receiver, callOf.claim([await aClaim(id, config, signer, total)]))
  return { payer, receiver, authorizer, config, id, balanced, claim }
}

async function bring(
  config: ChannelConfig,
  data: Hex,
  collector: Address = ERC3009_COLLECTOR_ADDRESS,
): Promise<string> {
  return await escrow.send(relay, callOf.deposit(config, DEPOSIT, collector, data))
}

async function cheat(method: string, params: readonly unknown[]): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(sandbox.rpcUrl, { method: 'POST', body })
  expect(await answer.json()).not.toHaveProperty('error')
}

/** The wallet is another owner's from now on. */
async function handOver(wallet: Address, owner: PrivateKeyAccount): Promise<void> {
  const { address } = await aWallet(owner)
  const reader = createPublicClient({ transport: http(sandbox.rpcUrl) })
  await cheat('anvil_setCode', [wallet, await reader.getCode({ address })])
}

describe('a payer with code', () => {
  test('deposits by EIP-3009 with what its code says yes to, and nothing else', async () => {
    const payer = await aWallet()
    const config = aConfig(payer.address)
    const id = await escrow.idOf(config)
    const stranger = { ...aKey(), address: payer.address }
    expect(await bring(config, await authorized(stranger, id, DEPOSIT))).toBe(
      'FiatTokenV2: invalid signature',
    )
    expect(await bring(config, await authorized(payer, id, DEPOSIT))).toBe('success')
    expect(await escrow.channel(id)).toEqual([DEPOSIT, 0n])
    expect(await escrow.balanceOf(payer.address)).toBe(FUNDS - DEPOSIT)
  })

  test('deposits by Permit2 in the same way, with a permit for as much as the deposit', async () => {
    const payer = await aWallet()
    const config = aConfig(payer.address)
    const id = await escrow.idOf(config)
    const stranger = { ...aKey(), address: payer.address }
    const hand = async (signer: PrivateKeyAccount, approval?: Hex): Promise<string> => {
      const data = await permitted(signer, id, DEPOSIT, approval)
      return await bring(config, data, PERMIT2_COLLECTOR_ADDRESS)
    }
    const approval = await approved(payer, DEPOSIT)
    expect(await hand(payer)).toBe('ERC20: transfer amount exceeds allowance')
    expect(await hand(payer, await approved(payer, DEPOSIT + 1n))).toBe('Permit2612AmountMismatch')
    expect(await hand(payer, await approved(stranger, DEPOSIT))).toBe(
      'ERC20: transfer amount exceeds allowance',
    )
    expect(await hand(stranger, approval)).toBe('InvalidContractSignature')
    expect(await hand(payer, approval)).toBe('success')
    expect(await escrow.channel(id)).toEqual([DEPOSIT, 0n])
    expect(await escrow.balanceOf(payer.address)).toBe(FUNDS - DEPOSIT)
  })

  test('is asked for its vouchers when they are claimed, where the channel names no key', async () => {
    const { payer, id, balanced, claim } = await aChannel()
    expect(await claim(aKey(), 5n)).toBe('InvalidSignature')
    expect(await claim(payer, 5n)).toBe('success')
    const heir = aKey()
    await handOver(payer.address, heir)
    expect(await claim(payer, 6n)).toBe('InvalidSignature')
    expect(await escrow.channel(id)).toEqual([DEPOSIT, 5n])
    expect(await claim(heir, 6n)).toBe('success')
    expect(await escrow.channel(id)).toEqual([DEPOSIT, 6n])
    await balanced(DEPOSIT)
  })

  test('holds up no batch by a row that was claimed before its code said no', async () => {
    const { payer, receiver, config, id, claim } = await aChannel()
    expect(await claim(payer, 5n)).toBe('success')
    const old = await aClaim(id, config, payer, 5n)
    await handOver(payer.address, aKey())
    const other = await aChannel({ receiver: receiver.address })
    const row = await aClaim(other.id, other.config, other.payer, 7n)
    expect(await escrow.send(receiver, callOf.claim([old, row]))).toBe('success')
    expect(await escrow.channel(id)).toEqual([DEPOSIT, 5n])
    expect(await escrow.channel(other.id)).toEqual([DEPOSIT, 7n])
    // One that counts takes all others along when it is wrong, and counts once though it is there twice.
    const wrong = await aClaim(id, config, payer, 6n)
    const next = await aClaim(other.id, other.config, other.payer, 8n)
    expect(await escrow.send(receiver, callOf.claim([next, wrong]))).toBe('InvalidSignature')
    expect(await escrow.channel(other.id)).toEqual([DEPOSIT, 7n])
    expect(await escrow.send(receiver, callOf.claim([next, next]))).toBe('success')
    expect(await escrow.send(relay, callOf.settle(receiver.address, USDC_ADDRESS))).toBe('success')
    expect(await escrow.balanceOf(receiver.address)).toBe(5n + 8n)
  })

  test('signs no voucher where the channel names a key, which signs alone', async () => {
    const key = await aCaller()
    const { payer, id, claim } = await aChannel({ payerAuthorizer: key.address })
    expect(await claim(payer, 5n)).toBe('InvalidSignature')
    expect(await claim(key, 5n)).toBe('success')
    expect(await escrow.channel(id)).toEqual([DEPOSIT, 5n])
  })

  test('is no key that a channel can name: its code is not asked there', async () => {
    const named = await aWallet()
    const { payer, id, claim } = await aChannel({ payerAuthorizer: named.address })
    expect(await claim(named, 5n)).toBe('InvalidSignature')
    expect(await claim(payer, 5n)).toBe('InvalidSignature')
    expect(await escrow.channel(id)).toEqual([DEPOSIT, 0n])
  })

  test('has its money back by the key that its channel names, less what a refund gave before', async () => {
    const key = await aCaller()
    const { payer, receiver, config, id, balanced } = await aChannel({
      payerAuthorizer: key.address,
    })
    const { send } = escrow
    const half = DEPOSIT / 2n
    expect(await send(key, callOf.initiateWithdraw(config, half))).toBe('success')
    // A refund of all that is asked for takes its place; a deposit does not.
    expect(await send(receiver, callOf.refund(config, half))).toBe('success')
    expect(await escrow.withdrawal(id)).toEqual([0n, 0])
    expect(await send(key, callOf.finalizeWithdraw(config))).toBe('WithdrawalNotPending')
    expect(await send(key, callOf.initiateWithdraw(config, half))).toBe('success')
    expect(await bring(config, await authorized(payer, id, DEPOSIT))).toBe('success')
    expect((await escrow.withdrawal(id))[0]).toBe(half)
    await cheat('evm_increaseTime', [901])
    await sandbox.mine()
    expect(await send(key, callOf.finalizeWithdraw(config))).toBe('success')
    expect(await escrow.balanceOf(payer.address)).toBe(FUNDS - DEPOSIT)
    expect(await escrow.balanceOf(key.address)).toBe(0n)
    await balanced(DEPOSIT)
  })
})

describe('an authorizer with code', () => {
  test('lets anyone claim and refund with what its code says yes to, and nothing else', async () => {
    const authorizer = await aWallet()
    const receiver = (await aWallet()).address
    const channel = await aChannel({ receiver, receiverAuthorizer: authorizer.address })
    const { payer, config, id, balanced } = channel
    const claim = await aClaim(id, config, payer, 5n)
    const stranger = { ...aKey(), address: authorizer.address }
    const claimBy = async (signer: PrivateKeyAccount): Promise<string> => {
      const signature = await signBatch(signer, [{ id, claim }])
      return await escrow.send(relay, callOf.claimWithSignature([claim], signature))
    }
    const refundBy = async (signer: PrivateKeyAccount): Promise<string> => {
      const signature = await signRefund(signer, id, 0n, 100n)
      return await escrow.send(relay, callOf.refundWithSignature(config, 100n, 0n, signature))
    }
    expect(await claimBy(stranger)).toBe('InvalidSignature')
    expect(await claimBy(authorizer)).toBe('success')
    expect(await refundBy(stranger)).toBe('InvalidSignature')
    expect(await refundBy(authorizer)).toBe('success')
    expect(await escrow.channel(id)).toEqual([DEPOSIT - 100n, 5n])
    expect(await escrow.send(relay, callOf.settle(receiver, USDC_ADDRESS))).toBe('success')
    expect(await escrow.balanceOf(receiver)).toBe(FUNDS + 5n)
    await balanced(DEPOSIT - 105n)
  })
})
