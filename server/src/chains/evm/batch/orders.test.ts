import { baseUnits } from '@florin/wire/amount.ts'
import type { DepositAuthorizations } from '@florin/wire/x402/batch-payload.ts'
import { concat, encodeAbiParameters, pad, parseAbiParameters, toEventSelector, toHex } from 'viem'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import type { BatchDemand, BatchOrder, BatchRefused } from '../../batch.ts'
import { NodeFailure } from '../../chain.ts'
import type { TransactionHash } from '../../chain.ts'
import type { SettlementDraft } from '../../exact.ts'
import type { Read, Transport } from '../../json-rpc/transport.ts'
import { addressFromBytes, requireAddress, ZERO_ADDRESS } from '../account.ts'
import { hexBytes } from '../hex.ts'
import { evenV } from '../permit2.ts'
import { openLogLooks } from '../log-ranges.ts'
import { openRecoveredSigners } from '../recovered-signers.ts'
import { addressOfPrivateKey, signDigest } from '../secp256k1.ts'
import { testNetwork } from '../../../payments/test-lane.ts'
import type { Call } from '../transfer.ts'
import { readClaim, readSettle } from './claims.ts'
import { readDeposit } from './deposit.ts'
import type { BatchDeps } from './deps.ts'
import { ESCROW, openEscrowDigests } from './escrow.ts'
import { movedBy } from './escrow-results.ts'
import { readRefund } from './refund.ts'

const config = testNetwork(84_532)
const asset = config.assets.find((known) => known.asset !== 'native')
if (asset === undefined) throw new Error('no token')
const listed = asset
const KEY = new Uint8Array(32).fill(0x33)
const signer = addressOfPrivateKey(KEY)
const account = (byte: number) => addressFromBytes(new Uint8Array(20).fill(byte))
const HASH = `0x${'ab'.repeat(32)}` as TransactionHash
const CLAIMED = 'Claimed(bytes32,address,uint128,uint128)'
const BLOCK_HASH = `0x${'bb'.repeat(32)}`
const RAN_GAS = 100_000n

const written = {
  ...{ payer: account(1), payerAuthorizer: signer, receiver: account(3) },
  ...{ receiverAuthorizer: signer, token: requireAddress(listed.asset) },
  ...{ withdrawDelaySeconds: 900n, salt: `0x${'07'.repeat(32)}` },
}
const digests = openEscrowDigests(84_532n)
const demand: BatchDemand = {
  ...{ asset: listed, payTo: written.receiver },
  requirements: { amount: baseUnits(0n), extra: { name: 'USDC', version: '2' } },
  extensions: {},
}

const NO_CODE: BatchDeps['code'] = { hasCode: async () => false, hasCodeNow: async () => false }

/** What an order would have sent, and within how much gas. */
function scene(answer: (read: { method: string }) => unknown = () => undefined) {
  const drafted: { call: Call; gasMax: bigint; likely: bigint | string | undefined }[] = []
  const transport: Partial<Transport> = {
    read: async <Value>(read: Read<Value>) => read.parse(answer(read)),
  }
  const deps: BatchDeps = {
    ...{ transport: transport as Transport, config, chainId: 84_532n, digests },
    clock: { ...systemClock, sleep: async () => undefined },
    ...{ recovered: openRecoveredSigners(), code: NO_CODE, looks: openLogLooks() },
    contracts: { lackOf: async () => undefined },
    draft: async (call, _, gasMax, likely) => {
      drafted.push({ call, gasMax, likely })
      return { feeExpected: RAN_GAS } as Partial<SettlementDraft> as SettlementDraft
    },
  }
  return { deps, drafted }
}

function orderOf(read: BatchOrder | BatchRefused): BatchOrder {
  if ('ok' in read) throw new Error(`refused: ${read.reason}`)
  return read
}

/** As wallets with code sign: the length of a key's signature, and a last byte that means something else. */
const OF_A_WALLET = new Uint8Array(65).fill(0x11)
OF_A_WALLET[64] = 1

const AUTHORIZATIONS: DepositAuthorizations = {
  eip3009: {
    ...{ validAfterSeconds: 0n, validBeforeSeconds: 2n ** 40n },
    ...{ salt: `0x${'ab'.repeat(32)}`, signature: hexBytes(OF_A_WALLET) },
  },
  permit2: undefined,
}

function claimOf(signature: string, payerAuthorizer = written.payerAuthorizer, rows = 1) {
  return {
    signature,
    claims: Array.from({ length: rows }, () => ({
      channel: { ...written, payerAuthorizer },
      ...{ maxClaimableAmount: baseUnits(5n), totalClaimed: baseUnits(4n) },
      signature: hexBytes(OF_A_WALLET),
    })),
  }
}

describe('a signature', () => {
  async function dataOf(signature: Uint8Array, payerAuthorizer?: typeof ZERO_ADDRESS) {
    const { deps, drafted } = scene()
    await orderOf(readClaim(deps, claimOf(hexBytes(signature), payerAuthorizer), demand)).prepare(
      account(9),
    )
    return hexBytes(drafted[0]?.call.data ?? new Uint8Array())
  }

  test('of an authorizer or a payer with code goes to it as it was written', async () => {
    const data = await dataOf(OF_A_WALLET, ZERO_ADDRESS)
    expect(data.split(hexBytes(OF_A_WALLET).slice(2))).toHaveLength(3)
  })

  test('of a key has the form that the escrow reads', async () => {
    const row = {
      channel: digests.channelOf(written),
      ...{ maxClaimableAmount: 5n, totalClaimed: 4n, signature: OF_A_WALLET },
    }
    const signature = signDigest(digests.claims([row]), KEY)
    expect(signature[64]).toBeLessThan(2)
    expect(await dataOf(signature)).toContain(hexBytes(evenV(signature)).slice(2))
  })

  test('over a refund, of an authorizer with code, goes to it as it was written', async () => {
    const { deps, drafted } = scene()
    const completed = {
      ...{ nonce: 0n, claims: [], refundSignature: hexBytes(OF_A_WALLET) },
      claimSignature: undefined,
    }
    const channel = digests.channelOf(written)
    const order = orderOf(readRefund(deps, channel, { amount: 1n, completed }, demand))
    // The channel is not there to be read; what was to be tried was drafted.
    await order.prepare(account(9)).catch(() => undefined)
    expect(hexBytes(drafted[0]?.call.data ?? new Uint8Array())).toContain(
      hexBytes(OF_A_WALLET).slice(2),
    )
  })
})

test('vouchers of payers with code have the gas in which one was found good, within what a transaction may take', async () => {
  const gasOf = async (rows: number, payerAuthorizer?: typeof ZERO_ADDRESS) => {
    const { deps, drafted } = scene()
    const given = claimOf(hexBytes(OF_A_WALLET), payerAuthorizer, rows)
    await orderOf(readClaim(deps, given, demand)).prepare(account(9))
    return drafted[0]?.gasMax ?? 0n
  }
  const saying = 150_000n
  const counting = 25_000n
  for (const rows of [1, 2, 10, 50]) {
    expect(await gasOf(rows, ZERO_ADDRESS)).toBeGreaterThan(
      (saying + counting) * BigInt(rows) + 33_000n,
    )
  }
  expect(await gasOf(100)).toBeLessThan(8_000_000n)
  expect(await gasOf(128, ZERO_ADDRESS)).toBeLessThan(2n ** 24n)
})

test('vouchers are run within what was measured of them, before anything is estimated', async () => {
  const measured = [
    [1, 77_700n],
    [10, 278_600n],
    [25, 644_600n],
  ] as const
  for (const [rows, gas] of measured) {
    const { deps, drafted } = scene()
    const given = claimOf(hexBytes(OF_A_WALLET), written.payerAuthorizer, rows)
    await orderOf(readClaim(deps, given, demand)).prepare(account(9))
    const likely = BigInt(drafted[0]?.likely ?? 0n)
    expect(likely).toBeGreaterThan(gas)
    // The budgets are held to what is expected, so it is no more than a fifth too much.
    expect(likely * 5n).toBeLessThan(gas * 6n)
  }
})

test('a deposit with another voucher is not the same', () => {
  const { deps } = scene()
  const contentOf = (maxClaimableAmount: bigint, signature: Uint8Array) => {
    const channel = digests.channelOf(written)
    const given = {
      ...{ channel, amount: baseUnits(10n) },
      voucher: { channelId: hexBytes(channel.id), maxClaimableAmount, signature },
      authorizations: AUTHORIZATIONS,
    }
    return orderOf(readDeposit(deps, given, demand)).content
  }
  const content = contentOf(5n, OF_A_WALLET)
  expect(contentOf(5n, Uint8Array.from(OF_A_WALLET))).toBe(content)
  expect(contentOf(6n, OF_A_WALLET)).not.toBe(content)
  expect(contentOf(5n, new Uint8Array(65))).not.toBe(content)
})

describe('what a transaction did', () => {
  const receipt = (status: string, logs: readonly unknown[] = []) => ({
    ...{ status, logs, blockHash: BLOCK_HASH, logsBloom: `0x${'00'.repeat(256)}` },
  })
  const settle = (answer: unknown) =>
    orderOf(
      readSettle(
        scene(() => answer).deps,
        { receiver: written.receiver, token: written.token },
        demand,
      ),
    ).result(HASH)
  const SETTLED = '0x' + 'cd'.repeat(32)

  test('is not told of a receipt that says by now that it failed, nor of one that is gone', async () => {
    await expect(settle(receipt('0x0'))).rejects.toThrow(NodeFailure)
    await expect(settle(null)).rejects.toThrow(NodeFailure)
    expect(await settle(receipt('0x1'))).toMatchObject({ amount: 0n })
  })

  test('is not told of logs of others', async () => {
    const log = { address: ESCROW, topics: [SETTLED], data: `0x${'00'.repeat(31)}07` }
    expect(await settle(receipt('0x1', [log]))).toMatchObject({ amount: 0n })
  })

  test('is summed over all channels, of the escrow alone', async () => {
    const claimed = (units: number, address: string = ESCROW) => ({
      ...{ address, topics: [toEventSelector(CLAIMED)] },
      data: encodeAbiParameters(parseAbiParameters('uint128, uint128'), [BigInt(units), 99n]),
    })
    const logs = [claimed(5), claimed(7), claimed(11, account(9))]
    const { transport } = scene(() => receipt('0x1', logs)).deps
    expect(await movedBy({ transport }, HASH)).toEqual({
      ...{ blockHash: BLOCK_HASH, deposited: 0n, claimed: 12n, settled: 0n, refunded: 0n },
    })
  })

  test.each([
    [7n, 'as it is'],
    [6n, undefined],
  ])('a deposit is told with a balance that the channel has: of %s', async (balance, told) => {
    const channel = digests.channelOf(written)
    const word = (value: bigint) => pad(toHex(value))
    const log = {
      address: ESCROW,
      topics: [
        toEventSelector('Deposited(bytes32,address,uint128,uint128)'),
        ...[hexBytes(channel.id), pad(account(9) as Hex)],
      ],
      data: concat([word(5n), word(7n)]),
    }
    const channels = encodeAbiParameters(parseAbiParameters('(bool, bytes)[]'), [
      [concat([word(balance), word(0n)]), concat([word(0n), word(0n)]), word(0n), word(1n)].map(
        (answer) => [true, answer] as const,
      ),
    ])
    const { deps } = scene(({ method }) =>
      method === 'eth_call' ? channels : receipt('0x1', [log]),
    )
    const voucher = { channelId: '', maxClaimableAmount: 1n, signature: OF_A_WALLET }
    const given = { channel, voucher, amount: baseUnits(5n), authorizations: AUTHORIZATIONS }
    const result = orderOf(readDeposit(deps, given, demand)).result(HASH)
    if (told === undefined) await expect(result).rejects.toThrow(NodeFailure)
    else expect(await result).toMatchObject({ amount: 5n, channel: { balance } })
  })

  test('a deposit that succeeded and is not seen did not fail', async () => {
    const { deps } = scene(() => receipt('0x1'))
    const channel = digests.channelOf(written)
    const voucher = { channelId: '', maxClaimableAmount: 1n, signature: OF_A_WALLET }
    const given = { channel, voucher, amount: baseUnits(10n), authorizations: AUTHORIZATIONS }
    await expect(orderOf(readDeposit(deps, given, demand)).result(HASH)).rejects.toThrow(
      NodeFailure,
    )
  })
})
