import { randomBytes, randomInt } from 'node:crypto'
import {
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  hashTypedData,
  keccak256,
  parseAbi,
  toHex,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { requireAddress } from '../account.ts'
import { hexBytes } from '../hex.ts'
import { depositNonce, ERC3009_COLLECTOR, ESCROW, openEscrowDigests } from './escrow.ts'
import type { Row } from './escrow.ts'
import {
  claimCall,
  depositCall,
  erc3009Data,
  escrowCalls,
  permit2Data,
  refundCall,
  settleCall,
} from './escrow-calls.ts'

const CHAIN_ID = 84_532n
const ROUNDS = 12
const UINT128_BYTES = 16

const abi = parseAbi([
  'struct ChannelConfig { address payer; address payerAuthorizer; address receiver; address receiverAuthorizer; address token; uint40 withdrawDelay; bytes32 salt; }',
  'struct Voucher { ChannelConfig channel; uint128 maxClaimableAmount; }',
  'struct VoucherClaim { Voucher voucher; bytes signature; uint128 totalClaimed; }',
  'function deposit(ChannelConfig config, uint128 amount, address collector, bytes collectorData)',
  'function claimWithSignature(VoucherClaim[] voucherClaims, bytes authorizerSignature)',
  'function settle(address receiver, address token)',
  'function refundWithSignature(ChannelConfig config, uint128 amount, uint256 nonce, bytes signature)',
  'function multicall(bytes[] data)',
])
const types = {
  ChannelConfig: [
    { name: 'payer', type: 'address' },
    { name: 'payerAuthorizer', type: 'address' },
    { name: 'receiver', type: 'address' },
    { name: 'receiverAuthorizer', type: 'address' },
    { name: 'token', type: 'address' },
    { name: 'withdrawDelay', type: 'uint40' },
    { name: 'salt', type: 'bytes32' },
  ],
  Voucher: [
    { name: 'channelId', type: 'bytes32' },
    { name: 'maxClaimableAmount', type: 'uint128' },
  ],
  Refund: [
    { name: 'channelId', type: 'bytes32' },
    { name: 'nonce', type: 'uint256' },
    { name: 'amount', type: 'uint128' },
  ],
  ClaimBatch: [{ name: 'claims', type: 'ClaimEntry[]' }],
  ClaimEntry: [
    { name: 'channelId', type: 'bytes32' },
    { name: 'maxClaimableAmount', type: 'uint128' },
    { name: 'totalClaimed', type: 'uint128' },
  ],
} as const
const domain = {
  ...{ name: 'x402 Batch Settlement', version: '1', chainId: CHAIN_ID },
  verifyingContract: getAddress(ESCROW),
} as const

const digests = openEscrowDigests(CHAIN_ID)
const anAddress = () => requireAddress(`0x${randomBytes(20).toString('hex')}`)
const aNumber = (bytes: number) => BigInt(`0x${randomBytes(bytes).toString('hex')}`)
const hex = (bytes: Uint8Array) => toHex(bytes)

/** A channel as it comes in, and as viem writes it. */
function aChannel() {
  const parties = {
    ...{ payer: anAddress(), payerAuthorizer: anAddress(), receiver: anAddress() },
    ...{ receiverAuthorizer: anAddress(), token: anAddress() },
  }
  const delay = randomInt(2 ** 40)
  const salt = toHex(randomBytes(32))
  const channel = digests.channelOf({ ...parties, withdrawDelaySeconds: BigInt(delay), salt })
  const config = {
    payer: getAddress(parties.payer),
    payerAuthorizer: getAddress(parties.payerAuthorizer),
    receiver: getAddress(parties.receiver),
    receiverAuthorizer: getAddress(parties.receiverAuthorizer),
    ...{ token: getAddress(parties.token), withdrawDelay: delay, salt },
  }
  return { channel, config }
}

/** A row as it is kept, and as viem writes it. */
function aRow() {
  const { channel, config } = aChannel()
  const [maxClaimableAmount, totalClaimed] = [aNumber(UINT128_BYTES), aNumber(UINT128_BYTES)]
  const signature = randomBytes(randomInt(1, 200))
  const row: Row = { channel, maxClaimableAmount, signature, totalClaimed }
  const voucher = { channel: config, maxClaimableAmount }
  return { row, written: { voucher, signature: hex(signature), totalClaimed } }
}

describe('as viem has it', () => {
  test.each(Array.from({ length: ROUNDS }, (_, round) => round))('calls, %i', (round) => {
    const { channel, config } = aChannel()
    const amount = aNumber(UINT128_BYTES)
    const [content, signature] = [randomBytes(randomInt(300)), randomBytes(randomInt(1, 130))]
    const deposit = depositCall(channel, amount, ERC3009_COLLECTOR, content)
    expect(hexBytes(deposit.data)).toBe(
      encodeFunctionData({
        ...{ abi, functionName: 'deposit' },
        args: [config, amount, getAddress(ERC3009_COLLECTOR), hex(content)],
      }),
    )
    const rows = Array.from({ length: round }, aRow)
    const claim = claimCall(
      rows.map(({ row }) => row),
      signature,
    )
    const claimWritten = encodeFunctionData({
      ...{ abi, functionName: 'claimWithSignature' },
      args: [rows.map(({ written }) => written), hex(signature)],
    })
    expect(hexBytes(claim.data)).toBe(claimWritten)
    const nonce = aNumber(32)
    const refund = refundCall(channel, amount, nonce, signature)
    const refundWritten = encodeFunctionData({
      ...{ abi, functionName: 'refundWithSignature' },
      args: [config, amount, nonce, hex(signature)],
    })
    expect(hexBytes(refund.data)).toBe(refundWritten)
    expect(hexBytes(escrowCalls([claim, refund]).data)).toBe(
      encodeFunctionData({
        ...{ abi, functionName: 'multicall', args: [[claimWritten, refundWritten]] },
      }),
    )
    expect(hexBytes(settleCall(channel.receiver, channel.token).data)).toBe(
      encodeFunctionData({
        ...{ abi, functionName: 'settle', args: [config.receiver, config.token] },
      }),
    )
  })

  test.each(Array.from({ length: ROUNDS }, (_, round) => round))('collectors, %i', () => {
    const [first, second] = [aNumber(32), aNumber(32)]
    const [salt, signature] = [randomBytes(32), randomBytes(randomInt(1, 130))]
    const uint = { type: 'uint256' } as const
    const bytes = { type: 'bytes' } as const
    expect(
      hexBytes(
        erc3009Data({ validAfterSeconds: first, validBeforeSeconds: second, salt, signature }),
      ),
    ).toBe(
      encodeAbiParameters(
        [uint, uint, uint, bytes],
        [first, second, BigInt(hex(salt)), hex(signature)],
      ),
    )
    expect(hexBytes(permit2Data({ nonce: first, deadlineSeconds: second, signature }))).toBe(
      encodeAbiParameters([uint, uint, bytes, bytes], [first, second, hex(signature), '0x']),
    )
  })

  test.each(Array.from({ length: ROUNDS }, (_, round) => round))('digests, %i', (round) => {
    const { channel, config } = aChannel()
    const channelId = hex(channel.id)
    const [amount, nonce] = [aNumber(UINT128_BYTES), aNumber(32)]
    expect(channelId).toBe(
      hashTypedData({ domain, types, primaryType: 'ChannelConfig', message: config }),
    )
    expect(hexBytes(digests.voucher(channel.id, amount))).toBe(
      hashTypedData({
        ...{ domain, types, primaryType: 'Voucher' },
        message: { channelId, maxClaimableAmount: amount },
      }),
    )
    expect(hexBytes(digests.refund(channel.id, nonce, amount))).toBe(
      hashTypedData({
        ...{ domain, types, primaryType: 'Refund', message: { channelId, nonce, amount } },
      }),
    )
    const rows = Array.from({ length: round }, () => aRow().row)
    const claims = rows.map(({ channel: { id }, maxClaimableAmount, totalClaimed }) => ({
      ...{ channelId: hex(id), maxClaimableAmount, totalClaimed },
    }))
    expect(hexBytes(digests.claims(rows))).toBe(
      hashTypedData({ domain, types, primaryType: 'ClaimBatch', message: { claims } }),
    )
  })
})

test('the vectors of @x402/evm 2.27', () => {
  const channel = digests.channelOf({
    payer: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
    payerAuthorizer: '0x1563915e194D8CfBA1943570603F7606A3115508',
    receiver: '0x7564105E977516C53bE337314c7E53838967bDaC',
    receiverAuthorizer: '0x5CbDd86a2FA8Dc4bDdd8a8f69dBa48572EeC07FB',
    token: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    withdrawDelaySeconds: 900n,
    salt: `0x${'07'.padStart(64, '0')}`,
  })
  expect(hexBytes(channel.id)).toBe(
    '0x684974210fe0bbe3885747f0fec991efb2d9c16c512fdac7210c0df18e63ba73',
  )
  expect(hexBytes(digests.voucher(channel.id, 5_000n))).toBe(
    '0xf617dd782ac38b782c603bb5e2af505d549c02442e867c5043f059dbf97ed1ab',
  )
  expect(hexBytes(digests.refund(channel.id, 1n, 1_500n))).toBe(
    '0xddf0be591c6a4d5da35d4079359e97ae1d329529b776f76f239f3a6c2e26a406',
  )
  const row: Row = {
    ...{ channel, maxClaimableAmount: 5_000n, totalClaimed: 4_000n },
    signature: new Uint8Array(65),
  }
  expect(hexBytes(digests.claims([row]))).toBe(
    '0x8ad60097e0f6a466c3e1a62673aa7d9a4c53fea3d6a15487450edb0f078e9033',
  )
  const salt = new Uint8Array(32).fill(0xab)
  expect(hexBytes(depositNonce(channel.id, salt))).toBe(
    '0xb6fe18041525e3688b04c329e2f41b696cdbaab3503ff41d100c228ac9836ae2',
  )
  expect(hexBytes(depositNonce(channel.id, salt))).toBe(
    keccak256(
      encodeAbiParameters(
        [{ type: 'bytes32' }, { type: 'uint256' }],
        [hex(channel.id), BigInt(hex(salt))],
      ),
    ),
  )
})
