import { randomBytes } from 'node:crypto'
import { concatHex, encodeAbiParameters, getCreate2Address, serializeErc6492Signature } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ExactPayments } from '../exact.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { testPayer } from './test-payer.ts'
import { parseAddress } from './account.ts'
import {
  ASSET,
  creation,
  demand,
  FACTORY,
  hex,
  openWalletWorld,
  SELLER,
  signed,
  withSignature,
} from './test-wallets.ts'
import type { Trick, WalletWorld } from './test-wallets.ts'

const SUFFIX = '6492'.repeat(16)

let world: TestChain
let exact: ExactPayments
let settler: TestWallet
let wallets: WalletWorld
beforeAll(async () => {
  wallets = await openWalletWorld()
  ;({ world, exact, settler } = wallets)
})
afterAll(async () => {
  await world.sandbox.stop()
})

describe('an account that is not there yet (EIP-6492)', () => {
  async function counterfactual(trick: Trick = 'none') {
    const owner = testPayer()
    const bytecode = creation(trick, owner.address)
    const salt = hex(randomBytes(32).toString('hex'))
    const wallet = parseAddress(getCreate2Address({ from: FACTORY, salt, bytecode }))
    if (wallet === undefined) throw new Error('no address')
    await world.sandbox.fund(wallet, 'USDC', '1')
    const data = concatHex([salt, bytecode])
    return { owner, wallet, data, payload: await signed(owner, wallet) }
  }
  const wrap =
    (data: `0x${string}`, address: string = FACTORY) =>
    (signature: string): string =>
      serializeErc6492Signature({ address: hex(address), data, signature: hex(signature) })

  test('is made and pays in one transaction, where its factory is listed', async () => {
    const { data, payload, wallet } = await counterfactual()
    const authorization = wallets.readOf(withSignature(payload, wrap(data)))
    await wallets.expectPaid(authorization)
    expect(await world.rpc('eth_getCode', wallet, 'latest')).not.toBe('0x')
  })

  test('is never made for a factory that is not listed, and nobody is listed by default', async () => {
    const { data, payload } = await counterfactual()
    const authorization = wallets.readOf(withSignature(payload, wrap(data)), wallets.strict)
    const refusal = { ok: false, reason: 'eip6492_factory_not_allowed' }
    expect(await wallets.strict.check(authorization)).toEqual(refusal)
    expect(await wallets.strict.draft(authorization, settler.address)).toEqual(refusal)
  })

  test('of a factory that would spend somebody’s tokens is refused', async () => {
    const { payload } = await counterfactual()
    const transfer = concatHex([
      '0xa9059cbb',
      encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [hex(SELLER), 1n]),
    ])
    const authorization = wallets.readOf(withSignature(payload, wrap(transfer, ASSET.asset)))
    expect(await exact.check(authorization)).toMatchObject({
      reason: 'eip6492_factory_not_allowed',
    })
    expect(await exact.draft(authorization, settler.address)).toMatchObject({ ok: false })
  })

  test('that is there already is asked itself, whoever made it', async () => {
    const owner = testPayer()
    const payload = withSignature(
      await signed(owner, await wallets.walletOf(owner)),
      wrap('0x1234'),
    )
    expect(await wallets.strict.check(wallets.readOf(payload, wallets.strict))).toEqual({
      ok: true,
    })
  })

  test.each<[string, (data: `0x${string}`) => (signature: string) => string]>([
    ['wrapped twice', () => (signature) => wrap('0x12')(wrap('0x12')(signature))],
    ['with a mark and no wrapper', () => (signature) => signature + SUFFIX],
    ['with nothing but the mark', () => () => `0x${SUFFIX}`],
    [
      'with a length beyond its end',
      (data) => (signature) => wrap(data)(signature).replace(/0{62}60/, `${'f'.repeat(62)}60`),
    ],
  ])('%s is nobody’s signature', async (_, change) => {
    const { data, payload } = await counterfactual()
    expect(exact.read(withSignature(payload, change(data)), demand)).toMatchObject({
      ok: false,
      reason: 'eip6492_factory_not_allowed',
    })
  })

  test.each<[string, Trick, (data: `0x${string}`) => `0x${string}`]>([
    ['whose making fails', 'none', (data) => concatHex([data.slice(0, 66) as never, '0xfe'])],
    ['whose code then burns gas', 'burns gas', (data) => data],
    ['whose code then refuses', 'says another word', (data) => data],
  ])('%s is refused, and nothing is made', async (_, trick, change) => {
    const { data, payload, wallet } = await counterfactual(trick)
    const authorization = wallets.readOf(withSignature(payload, wrap(change(data))))
    expect(await exact.check(authorization)).toEqual({
      ok: false,
      reason: 'invalid_exact_evm_transaction_simulation_failed',
    })
    expect(await exact.draft(authorization, settler.address)).toMatchObject({ ok: false })
    expect(await world.rpc('eth_getCode', wallet, 'latest')).toBe('0x')
  })
})
