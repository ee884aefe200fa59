import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  domainSeparator,
  encodeFunctionData,
  http,
  maxUint256,
  parseAbi,
  parseEther,
  parseSignature,
  parseUnits,
  toHex,
  webSocket,
  zeroAddress,
} from 'viem'
import type { Address, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { until } from '../../../server/src/kernel/until.ts'
import { EVM_CHAIN_ID, MULTICALL3_ADDRESS, USDC_ADDRESS } from './chain-facts.ts'

const FIELDS =
  'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce'
const TOKEN = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function nonces(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function minter() view returns (address)',
  'function mint(address to, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
  'function authorizationState(address, bytes32) view returns (bool)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  `function transferWithAuthorization(${FIELDS}, uint8 v, bytes32 r, bytes32 s)`,
  `function transferWithAuthorization(${FIELDS}, bytes signature)`,
  `function receiveWithAuthorization(${FIELDS}, bytes signature)`,
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])
const DOMAIN = {
  name: 'USDC',
  version: '2',
  chainId: EVM_CHAIN_ID,
  verifyingContract: USDC_ADDRESS,
} as const
const AUTHORIZATION = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
const FAR = 2n ** 40n

/** Answers every call with EIP-1271's "valid": push the magic value, return it. */
const SAYS_YES = '0x631626ba7e60e01b5f5260205ff3'

let sandbox: SandboxHandle
const payer = privateKeyToAccount(generatePrivateKey())
const relay = privateKeyToAccount(generatePrivateKey())
const payee = privateKeyToAccount(generatePrivateKey()).address

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true })
  await Promise.all([
    sandbox.fund(payer.address),
    sandbox.fund(relay.address),
    sandbox.fund(payer.address, 'USDC'),
  ])
})
afterAll(async () => {
  await sandbox.stop()
})

const chain = () =>
  defineChain({
    id: EVM_CHAIN_ID,
    name: 'sandbox',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [sandbox.rpcUrl] } },
    contracts: { multicall3: { address: MULTICALL3_ADDRESS } },
  })
const reader = () =>
  createPublicClient({ chain: chain(), transport: http(), pollingInterval: 20, cacheTime: 0 })
const wallet = (account = relay) =>
  createWalletClient({ account, chain: chain(), transport: http() })

async function mined(hash: Hex): Promise<'success' | 'reverted'> {
  return (await reader().waitForTransactionReceipt({ hash })).status
}
const usdcOf = async (address: Address): Promise<bigint> =>
  await reader().readContract({
    address: USDC_ADDRESS,
    abi: TOKEN,
    functionName: 'balanceOf',
    args: [address],
  })

interface Authorization {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}
const authorization = (part: Partial<Authorization> = {}): Authorization => ({
  from: payer.address,
  to: payee,
  value: parseUnits('1.5', 6),
  validAfter: 0n,
  validBefore: FAR,
  nonce: toHex(crypto.getRandomValues(new Uint8Array(32))),
  ...part,
})
async function signed(
  message: Authorization,
  primaryType:
    'TransferWithAuthorization' | 'ReceiveWithAuthorization' = 'TransferWithAuthorization',
): Promise<Hex> {
  const types = {
    TransferWithAuthorization: AUTHORIZATION,
    ReceiveWithAuthorization: AUTHORIZATION,
  } as const
  return await payer.signTypedData({ domain: DOMAIN, types, primaryType, message })
}
const fields = (it: Authorization) =>
  [it.from, it.to, it.value, it.validAfter, it.validBefore, it.nonce] as const
function split(signature: Hex): readonly [number, Hex, Hex] {
  const { r, s, yParity } = parseSignature(signature)
  return [27 + yParity, r, s]
}
const send = async (data: Hex): Promise<Hex> =>
  await wallet().sendTransaction({ to: USDC_ADDRESS, data, gas: 200_000n })
const tries = async (data: Hex, account = relay.address): Promise<unknown> =>
  await reader().call({ account, to: USDC_ADDRESS, data })
const transferBytes = (it: Authorization, signature: Hex): Hex =>
  encodeFunctionData({
    abi: TOKEN,
    functionName: 'transferWithAuthorization',
    args: [...fields(it), signature],
  })

describe('viem, unmodified', () => {
  test('sends native currency', async () => {
    const hash = await wallet().sendTransaction({ to: payee, value: parseEther('0.25') })
    expect(await mined(hash)).toBe('success')
    expect(await reader().getBalance({ address: payee })).toBe(parseEther('0.25'))
  })

  test('reads the token in one multicall, with the domain that signatures use', async () => {
    const token = { address: USDC_ADDRESS, abi: TOKEN } as const
    const [name, symbol, version, decimals, separator] = await reader().multicall({
      allowFailure: false,
      contracts: [
        { ...token, functionName: 'name' },
        { ...token, functionName: 'symbol' },
        { ...token, functionName: 'version' },
        { ...token, functionName: 'decimals' },
        { ...token, functionName: 'DOMAIN_SEPARATOR' },
      ],
    })
    expect([name, symbol, version, decimals]).toEqual(['USDC', 'USDC', '2', 6])
    expect(separator).toBe(domainSeparator({ domain: DOMAIN }))
  })

  test('one failing call of a multicall fails alone', async () => {
    const [bad, good] = await reader().multicall({
      contracts: [
        {
          address: USDC_ADDRESS,
          abi: parseAbi(['function none() view returns (uint256)']),
          functionName: 'none',
        },
        { address: USDC_ADDRESS, abi: TOKEN, functionName: 'decimals' },
      ],
    })
    expect([bad.status, good.status, good.result]).toEqual(['failure', 'success', 6])
  })

  test('pays by EIP-3009 with (v, r, s), once only', async () => {
    const it = authorization()
    const data = encodeFunctionData({
      abi: TOKEN,
      functionName: 'transferWithAuthorization',
      args: [...fields(it), ...split(await signed(it))],
    })
    const before = await usdcOf(payee)
    expect(await mined(await send(data))).toBe('success')
    expect((await usdcOf(payee)) - before).toBe(it.value)
    await expect(tries(data)).rejects.toThrow('authorization is used or canceled')
    expect(await mined(await send(data))).toBe('reverted')
  })

  test('pays by EIP-3009 with a signature of bytes; a trailing commitment does no harm', async () => {
    const it = authorization()
    const data = transferBytes(it, await signed(it))
    const before = await usdcOf(payee)
    expect(await mined(await send(`${data}${'ab'.repeat(32)}`))).toBe('success')
    expect((await usdcOf(payee)) - before).toBe(it.value)
  })

  test("asks a payer that is a contract by EIP-1271, and believes no one else's signature", async () => {
    const contract = privateKeyToAccount(generatePrivateKey()).address
    await sandbox.fund(contract, 'USDC', '5')
    const it = authorization({ from: contract })
    const data = transferBytes(it, '0x1234')
    await expect(tries(data)).rejects.toThrow('invalid signature')
    await cheat('anvil_setCode', [contract, SAYS_YES])
    expect(await mined(await send(data))).toBe('success')
    expect(await usdcOf(contract)).toBe(parseUnits('3.5', 6))
  })

  test.each<readonly [string, Partial<Authorization>]>([
    ['not yet valid', { validAfter: FAR - 1n }],
    ['expired', { validBefore: 1n }],
    ['transfer amount exceeds balance', { value: parseUnits('1000000', 6) }],
    ['account is blacklisted', { to: USDC_ADDRESS }],
  ])('a payment that is %s says so in the words of the public token', async (words, part) => {
    const it = authorization(part)
    await expect(tries(transferBytes(it, await signed(it)))).rejects.toThrow(words)
  })

  test('an altered payment is refused', async () => {
    const it = authorization()
    const signature = await signed(it)
    const altered = { ...it, value: it.value + 1n }
    await expect(tries(transferBytes(altered, signature))).rejects.toThrow('invalid signature')
  })

  test('only the payee may hand in a receiveWithAuthorization', async () => {
    const it = authorization({ to: relay.address })
    const args = [...fields(it), await signed(it, 'ReceiveWithAuthorization')] as const
    const data = encodeFunctionData({ abi: TOKEN, functionName: 'receiveWithAuthorization', args })
    await expect(tries(data, payee)).rejects.toThrow('caller must be the payee')
    expect(await mined(await send(data))).toBe('success')
  })

  test('a cancelled authorization pays no more', async () => {
    const it = authorization()
    const signature = await payer.signTypedData({
      domain: DOMAIN,
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: { authorizer: payer.address, nonce: it.nonce },
    })
    const args = [payer.address, it.nonce, ...split(signature)] as const
    const data = encodeFunctionData({ abi: TOKEN, functionName: 'cancelAuthorization', args })
    expect(await mined(await send(data))).toBe('success')
    await expect(tries(transferBytes(it, await signed(it)))).rejects.toThrow('used or canceled')
  })

  test('EIP-2612: a permit lets a spender transfer', async () => {
    const value = parseUnits('2', 6)
    const signature = await payer.signTypedData({
      domain: DOMAIN,
      types: {
        Permit: [
          { name: 'owner', type: 'address' },
          { name: 'spender', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
      primaryType: 'Permit',
      message: {
        owner: payer.address,
        spender: relay.address,
        value,
        nonce: 0n,
        deadline: maxUint256,
      },
    })
    const args = [payer.address, relay.address, value, maxUint256, ...split(signature)] as const
    const permit = encodeFunctionData({ abi: TOKEN, functionName: 'permit', args })
    expect(await mined(await send(permit))).toBe('success')
    const before = await usdcOf(payee)
    const take = encodeFunctionData({
      abi: TOKEN,
      functionName: 'transferFrom',
      args: [payer.address, payee, value],
    })
    expect(await mined(await send(take))).toBe('success')
    expect((await usdcOf(payee)) - before).toBe(value)
    await expect(tries(take)).rejects.toThrow('transfer amount exceeds allowance')
    await expect(tries(permit)).rejects.toThrow('EIP2612: invalid signature')
  })

  test('nobody but the faucet mints, and no key that others know holds anything', async () => {
    const data = encodeFunctionData({ abi: TOKEN, functionName: 'mint', args: [payee, 1n] })
    await expect(tries(data)).rejects.toThrow('caller is not a minter')
    await expect(tries(data, zeroAddress)).rejects.toThrow('caller is not a minter')
    // The first account of the mnemonic that every development node shares.
    const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
    expect(await reader().getBalance({ address })).toBe(0n)
    expect(await wallet().request({ method: 'eth_accounts' })).toEqual([])
  })

  test('reads state and nonces at the finalized block', async () => {
    const count = await reader().getTransactionCount({
      address: relay.address,
      blockTag: 'finalized',
    })
    const latest = await reader().getTransactionCount({ address: relay.address })
    expect(count).toBeLessThanOrEqual(latest)
  })

  test('watches heads over WebSocket, with calls beside them', async () => {
    const transport = webSocket(sandbox.rpcUrl.replace('http', 'ws'))
    const client = createPublicClient({ chain: chain(), transport })
    const heights: bigint[] = []
    const unwatch = client.watchBlockNumber({ onBlockNumber: (height) => heights.push(height) })
    const id = await client.request({ method: 'eth_chainId' })
    expect(Number(id)).toBe(EVM_CHAIN_ID)
    await until(
      'three heads came',
      async () => {
        await sandbox.mine()
        return heights.length >= 3
      },
      { seconds: 30 },
    )
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBeGreaterThanOrEqual(heights[2] ?? 0n)
    unwatch()
    const { socket } = await client.transport.getRpcClient()
    socket.close()
  })
})

async function cheat(method: string, params: readonly unknown[]): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(sandbox.rpcUrl, { method: 'POST', body })
  expect(await answer.json()).not.toHaveProperty('error')
}
