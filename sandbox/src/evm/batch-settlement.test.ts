import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, parseAbi } from 'viem'
import type { Address, Hex, PrivateKeyAccount } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { stockWallet } from '../../../e2e/actors/stock-facilitator.ts'
import hostile from '../../contracts/artifacts/HostileReentrantToken.json' with { type: 'json' }
import {
  BATCH_SETTLEMENT_ADDRESS,
  ERC3009_COLLECTOR_ADDRESS,
  PERMIT2_COLLECTOR_ADDRESS,
  USDC_ADDRESS,
} from './chain-facts.ts'
import {
  aClaim,
  aConfig,
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
const NOBODY: Address = `0x${'00'.repeat(20)}`

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

async function aPayer(): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey())
  await sandbox.fund(account.address, 'USDC', '10')
  await sandbox.fund(account.address)
  return account
}

async function deposit(config: ChannelConfig, data: Hex, amount = DEPOSIT): Promise<string> {
  return await escrow.send(relay, callOf.deposit(config, amount, ERC3009_COLLECTOR_ADDRESS, data))
}

/** A channel with a million in it; its receiver and authorizer are keys of ours that have gas. */
async function aChannel(change: Partial<ChannelConfig> = {}) {
  const [payer, receiver, authorizer] = [await aPayer(), await aPayer(), await aPayer()]
  const config = aConfig(payer.address, {
    ...{ receiver: receiver.address, receiverAuthorizer: authorizer.address },
    ...change,
  })
  const id = await escrow.idOf(config)
  const before = await escrow.balanceOf(BATCH_SETTLEMENT_ADDRESS)
  expect(await deposit(config, await authorized(payer, id, DEPOSIT))).toBe('success')
  /** What the escrow has more than before it, by the token and by its books. */
  const balanced = async (expected: bigint): Promise<void> => {
    const { held, owed } = await escrow.books([id], [config.receiver])
    expect({ held: held - before, owed }).toEqual({ held: expected, owed: expected })
  }
  await balanced(DEPOSIT)
  return { payer, receiver, authorizer, config, id, balanced }
}

async function later(seconds: number): Promise<void> {
  const body = JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'evm_increaseTime', params: [seconds] },
  })
  const answer = await fetch(sandbox.rpcUrl, { method: 'POST', body })
  expect(await answer.json()).not.toHaveProperty('error')
  await sandbox.mine()
}

describe('a deposit into the escrow', () => {
  test('is taken once, for the channel that its authorization names, as much as it says', async () => {
    const payer = await aPayer()
    const [config, other] = [aConfig(payer.address), aConfig(payer.address)]
    const data = await authorized(payer, await escrow.idOf(config), DEPOSIT)
    expect(await deposit(other, data)).toBe('FiatTokenV2: invalid signature')
    expect(await deposit(config, data, DEPOSIT + 1n)).toBe('FiatTokenV2: invalid signature')
    expect(await escrow.balanceOf(payer.address)).toBe(FUNDS)
    expect(await deposit(config, data)).toBe('success')
    expect(await deposit(config, data)).toBe('FiatTokenV2: authorization is used or canceled')
    expect(await escrow.channel(await escrow.idOf(config))).toEqual([DEPOSIT, 0n])
    expect(await escrow.balanceOf(payer.address)).toBe(FUNDS - DEPOSIT)
  })

  test.each<readonly [string, Partial<ChannelConfig>]>([
    ['InvalidChannel', { receiverAuthorizer: NOBODY }],
    ['InvalidChannel', { receiver: NOBODY }],
    ['InvalidChannel', { token: NOBODY }],
    ['WithdrawDelayOutOfRange', { withdrawDelay: 899 }],
    ['WithdrawDelayOutOfRange', { withdrawDelay: 2_592_001 }],
  ])('is refused as %s of a channel that cannot be: %j', async (error, change) => {
    const payer = privateKeyToAccount(generatePrivateKey())
    expect(await deposit(aConfig(payer.address, change), '0x')).toBe(error)
  })

  test('is refused of nothing, by nobody, and by a collector that brings nothing', async () => {
    const { address } = privateKeyToAccount(generatePrivateKey())
    const config = aConfig(address)
    expect(await deposit(config, '0x', 0n)).toBe('ZeroDeposit')
    expect(await escrow.send(relay, callOf.deposit(config, 1n, address, '0x'))).toBe(
      'InvalidCollector',
    )
    // It moves its own token, of which a channel in USDC has no use.
    const collector = await deployHostile()
    const mint = { abi: HOSTILE_ABI, functionName: 'mint' } as const
    await tell(collector, encodeFunctionData({ ...mint, args: [address, 1n] }))
    expect(await escrow.send(relay, callOf.deposit(config, 1n, collector, '0x'))).toBe(
      'DepositCollectionFailed',
    )
  })

  test('is brought by the collectors to the escrow, and to no other caller', async () => {
    const payer = await aPayer()
    const id = await escrow.idOf(aConfig(payer.address))
    const wallet = stockWallet(sandbox, relay)
    const abi = parseAbi([
      'function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes data)',
      'error OnlyX402BatchSettlement()',
    ])
    const args = [
      ...([payer.address, USDC_ADDRESS, DEPOSIT, id] as const),
      await authorized(payer, id, DEPOSIT),
    ] as const
    for (const address of [ERC3009_COLLECTOR_ADDRESS, PERMIT2_COLLECTOR_ADDRESS] as const) {
      await expect(
        wallet.simulateContract({ address, abi, functionName: 'collect', args }),
      ).rejects.toThrow('OnlyX402BatchSettlement')
    }
  })

  test('by Permit2 is refused for a channel that the permit does not name', async () => {
    const payer = await aPayer()
    const [config, other] = [aConfig(payer.address), aConfig(payer.address)]
    const data = await permitted(payer, await escrow.idOf(config), DEPOSIT)
    const call = callOf.deposit(other, DEPOSIT, PERMIT2_COLLECTOR_ADDRESS, data)
    expect(await escrow.send(relay, call)).toBe('InvalidSigner')
  })
})

describe('a claim', () => {
  test.each<Partial<ChannelConfig>>([{}, { payerAuthorizer: NOBODY }])(
    'is good by the voucher of the payer alone, to its ceiling and the deposit: %j',
    async (its) => {
      const { payer, receiver, config, id, balanced } = await aChannel(its)
      const claim = async (signer: PrivateKeyAccount, total: bigint, most = total) =>
        await escrow.send(receiver, callOf.claim([await aClaim(id, config, signer, total, most)]))
      expect(await claim(receiver, 5n)).toBe('InvalidSignature')
      expect(await claim(payer, 6n, 5n)).toBe('ClaimExceedsCeiling')
      expect(await claim(payer, DEPOSIT + 1n)).toBe('ClaimExceedsBalance')
      expect(await escrow.channel(id)).toEqual([DEPOSIT, 0n])
      const other = aConfig(payer.address, { receiver: receiver.address })
      const moved = {
        ...(await aClaim(id, config, payer, 5n)),
        voucher: { channel: other, maxClaimableAmount: 5n },
      }
      expect(await escrow.send(receiver, callOf.claim([moved]))).toBe('ClaimExceedsBalance')
      expect(await claim(payer, DEPOSIT)).toBe('success')
      expect(await escrow.channel(id)).toEqual([DEPOSIT, DEPOSIT])
      await balanced(DEPOSIT)
    },
  )

  test('of a total that falls or stands still counts nothing, and its batch goes on', async () => {
    const one = await aChannel()
    const two = await aChannel({
      ...{ receiver: one.receiver.address, receiverAuthorizer: one.authorizer.address },
    })
    const rows = async (first: bigint, second: bigint) => [
      { id: one.id, claim: await aClaim(one.id, one.config, one.payer, first) },
      { id: two.id, claim: await aClaim(two.id, two.config, two.payer, second) },
    ]
    const hand = async (first: bigint, second: bigint, signer = one.authorizer) => {
      const batch = await rows(first, second)
      const signature = await signBatch(signer, batch)
      return await escrow.send(
        relay,
        callOf.claimWithSignature(
          batch.map(({ claim }) => claim),
          signature,
        ),
      )
    }
    expect(await hand(5n, 7n, one.receiver)).toBe('InvalidSignature')
    expect(await hand(5n, 7n)).toBe('success')
    expect(await hand(4n, 7n)).toBe('success')
    expect(await hand(4n, 9n)).toBe('success')
    expect(await escrow.channel(one.id)).toEqual([DEPOSIT, 5n])
    expect(await escrow.channel(two.id)).toEqual([DEPOSIT, 9n])
    expect(await escrow.send(relay, callOf.settle(one.config.receiver, USDC_ADDRESS))).toBe(
      'success',
    )
    expect(await escrow.send(relay, callOf.settle(one.config.receiver, USDC_ADDRESS))).toBe(
      'success',
    )
    expect(await escrow.balanceOf(one.config.receiver)).toBe(FUNDS + 14n)
    const { owed } = await escrow.books([one.id, two.id], [one.config.receiver])
    expect(owed).toBe(2n * DEPOSIT - 14n)
  })

  test('is handed in by its receiver side, or with the one signature of all its rows', async () => {
    const [one, two] = [await aChannel(), await aChannel()]
    const batch = [
      { id: one.id, claim: await aClaim(one.id, one.config, one.payer, 5n) },
      { id: two.id, claim: await aClaim(two.id, two.config, two.payer, 5n) },
    ]
    const claims = batch.map(({ claim }) => claim)
    const signature = await signBatch(one.authorizer, batch)
    expect(await escrow.send(one.receiver, callOf.claim(claims))).toBe('NotAuthorizedToClaim')
    expect(await escrow.send(one.payer, callOf.claim(claims))).toBe('NotAuthorizedToClaim')
    expect(await escrow.send(relay, callOf.claimWithSignature(claims, signature))).toBe(
      'NotReceiverAuthorizer',
    )
    expect(await escrow.send(relay, callOf.claimWithSignature([], signature))).toBe('EmptyBatch')
    expect(await escrow.send(relay, callOf.claim([]))).toBe('EmptyBatch')
  })
})

describe('what is not claimed', () => {
  test('goes back by a signature that is good for one nonce and one amount', async () => {
    const { payer, receiver, authorizer, config, id, balanced } = await aChannel()
    const signature = await signRefund(authorizer, id, 0n, 100n)
    const hand = async (amount: bigint, nonce: bigint, by = signature) =>
      await escrow.send(relay, callOf.refundWithSignature(config, amount, nonce, by))
    expect(await hand(101n, 0n)).toBe('InvalidSignature')
    expect(await hand(100n, 0n, await signRefund(payer, id, 0n, 100n))).toBe('InvalidSignature')
    expect(await hand(100n, 0n)).toBe('success')
    expect(await hand(100n, 0n)).toBe('InvalidRefundNonce')
    expect(await hand(100n, 1n)).toBe('InvalidSignature')
    await balanced(DEPOSIT - 100n)
    expect(await escrow.send(payer, callOf.refund(config, 1n))).toBe('NotAuthorizedToRefund')
    expect(await escrow.send(receiver, callOf.refund(config, 0n))).toBe('ZeroRefund')
    const row = await aClaim(id, config, payer, 400n)
    expect(await escrow.send(receiver, callOf.claim([row]))).toBe('success')
    // Asked for more than is there; and once nothing is, the nonce goes on all the same.
    expect(await escrow.send(receiver, callOf.refund(config, DEPOSIT))).toBe('success')
    await balanced(400n)
    expect(await escrow.send(receiver, callOf.refund(config, DEPOSIT))).toBe('success')
    expect(await escrow.refundNonce(id)).toBe(3n)
    expect(await escrow.balanceOf(payer.address)).toBe(FUNDS - 400n)
    expect(await escrow.send(relay, callOf.settle(receiver.address, USDC_ADDRESS))).toBe('success')
    await balanced(0n)
  })

  test('is withdrawn by the payer alone, when the delay is over, less what was claimed meanwhile', async () => {
    const { payer, receiver, config, id, balanced } = await aChannel()
    const { send } = escrow
    expect(await send(receiver, callOf.initiateWithdraw(config, 1n))).toBe('InvalidChannel')
    expect(await send(payer, callOf.finalizeWithdraw(config))).toBe('WithdrawalNotPending')
    expect(await send(payer, callOf.initiateWithdraw(config, 0n))).toBe('NothingToWithdraw')
    expect(await send(payer, callOf.initiateWithdraw(config, DEPOSIT + 1n))).toBe(
      'WithdrawAmountExceedsAvailable',
    )
    expect(await send(payer, callOf.initiateWithdraw(config, DEPOSIT))).toBe('success')
    expect(await send(payer, callOf.initiateWithdraw(config, 1n))).toBe('WithdrawalAlreadyPending')
    // A refund meanwhile is taken off what was asked for.
    expect(await send(receiver, callOf.refund(config, 1_000n))).toBe('success')
    expect((await escrow.withdrawal(id))[0]).toBe(DEPOSIT - 1_000n)
    await later(800)
    expect(await send(payer, callOf.finalizeWithdraw(config))).toBe('WithdrawDelayNotElapsed')
    const row = await aClaim(id, config, payer, 300n)
    expect(await send(receiver, callOf.claim([row]))).toBe('success')
    await later(101)
    expect(await send(receiver, callOf.finalizeWithdraw(config))).toBe(
      'NotAuthorizedToFinalizeWithdraw',
    )
    expect(await send(payer, callOf.finalizeWithdraw(config))).toBe('success')
    expect(await send(payer, callOf.finalizeWithdraw(config))).toBe('WithdrawalNotPending')
    expect(await escrow.balanceOf(payer.address)).toBe(FUNDS - 300n)
    expect(await escrow.channel(id)).toEqual([300n, 300n])
    await balanced(300n)
    const late = await aClaim(id, config, payer, 301n)
    expect(await send(receiver, callOf.claim([late]))).toBe('ClaimExceedsBalance')
    expect(await send(relay, callOf.settle(receiver.address, USDC_ADDRESS))).toBe('success')
    await balanced(0n)
  })
})

test('what the escrow holds is there when its sandbox comes back', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'florin-escrow-'))
  const payer = privateKeyToAccount(generatePrivateKey())
  const config = aConfig(payer.address)
  let running = await startSandbox({ directory })
  try {
    await running.fund(payer.address, 'USDC', '1')
    await running.fund(payer.address)
    const before = openEscrow(running)
    const id = await before.idOf(config)
    const data = await authorized(payer, id, DEPOSIT)
    const call = callOf.deposit(config, DEPOSIT, ERC3009_COLLECTOR_ADDRESS, data)
    expect(await before.send(payer, call)).toBe('success')
    await running.stop()
    running = await startSandbox({ directory })
    const after = openEscrow(running)
    expect(await after.channel(id)).toEqual([DEPOSIT, 0n])
    expect(await after.books([id], [])).toEqual({ held: DEPOSIT, owed: DEPOSIT })
  } finally {
    await running.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})

const HOSTILE_ABI = parseAbi([
  'function mint(address to, uint256 amount)',
  'function arm(address target, bytes call)',
  'function done() view returns (bool)',
  'function answer() view returns (bytes)',
])
/** What OpenZeppelin's guard says: ReentrancyGuardReentrantCall(). */
const GUARDED = '0x3ee5aeb5'

async function deployHostile(): Promise<Address> {
  const wallet = stockWallet(sandbox, relay)
  const data: Hex = `0x${hostile.bytecode.slice(2)}`
  const hash = await wallet.sendTransaction({ data })
  const { contractAddress } = await wallet.waitForTransactionReceipt({ hash })
  if (contractAddress === null || contractAddress === undefined)
    throw new Error('the hostile token was not deployed')
  return contractAddress
}

async function tell(token: Address, data: Hex): Promise<void> {
  const wallet = stockWallet(sandbox, relay)
  const hash = await wallet.sendTransaction({ to: token, data })
  expect((await wallet.waitForTransactionReceipt({ hash })).status).toBe('success')
}

describe('a token that calls the escrow from within a transfer', () => {
  test('gets into none of its functions, and takes nothing of its own or of others', async () => {
    const token = await deployHostile()
    const mint = { abi: HOSTILE_ABI, functionName: 'mint' } as const
    const payer = await aPayer()
    await tell(token, encodeFunctionData({ ...mint, args: [payer.address, 5_000n] }))
    const [receiver, authorizer] = [await aPayer(), await aPayer()]
    const config = aConfig(payer.address, {
      ...{ token, receiver: receiver.address, receiverAuthorizer: authorizer.address },
    })
    const id = await escrow.idOf(config)
    const usdc = await escrow.balanceOf(BATCH_SETTLEMENT_ADDRESS)
    const bring = callOf.deposit(config, 1_000n, token, '0x')
    const row = await aClaim(id, config, payer, 300n)
    const within: readonly Hex[] = [
      bring,
      callOf.claim([row]),
      callOf.claimWithSignature([row], await signBatch(authorizer, [{ id, claim: row }])),
      callOf.settle(receiver.address, token),
      callOf.refund(config, 100n),
      callOf.refundWithSignature(config, 100n, 0n, await signRefund(authorizer, id, 0n, 100n)),
      callOf.initiateWithdraw(config, 100n),
      callOf.finalizeWithdraw(config),
    ]
    const outcomes = async (from: PrivateKeyAccount, call: Hex, each?: () => Promise<void>) => {
      for (const data of within) {
        await each?.()
        const arm = { abi: HOSTILE_ABI, functionName: 'arm' } as const
        await tell(token, encodeFunctionData({ ...arm, args: [BATCH_SETTLEMENT_ADDRESS, data] }))
        expect(await escrow.send(from, call)).toBe('success')
        const reader = stockWallet(sandbox, relay)
        const at = { address: token, abi: HOSTILE_ABI } as const
        expect(await reader.readContract({ ...at, functionName: 'done' })).toBe(false)
        expect(await reader.readContract({ ...at, functionName: 'answer' })).toBe(GUARDED)
        const { held, owed } = await escrow.books([id], [receiver.address], token)
        expect(held).toBe(owed)
      }
    }
    const brought = 1_000n * BigInt(within.length)
    await tell(token, encodeFunctionData({ ...mint, args: [payer.address, brought] }))
    await outcomes(relay, bring)
    expect(await escrow.channel(id)).toEqual([brought, 0n])
    await outcomes(receiver, callOf.refund(config, 10n))
    let claimed = 0n
    await outcomes(relay, callOf.settle(receiver.address, token), async () => {
      claimed += 5n
      const next = await aClaim(id, config, payer, claimed)
      expect(await escrow.send(receiver, callOf.claim([next]))).toBe('success')
    })
    expect(await escrow.balanceOf(receiver.address, token)).toBe(claimed)
    expect(await escrow.balanceOf(BATCH_SETTLEMENT_ADDRESS)).toBe(usdc)
  })
})
