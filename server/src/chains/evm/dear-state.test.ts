import { randomBytes } from 'node:crypto'
import { concatHex, getCreate2Address, serializeErc6492Signature } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import type { ExactAuthorization, ExactPayments } from '../exact.ts'
import { parseAddress } from './account.ts'
import { connectEvm } from './connect.ts'
import {
  CHANGED_SLOT_GAS,
  CODE_BYTE_GAS,
  dearBy,
  NEW_ACCOUNT_GAS,
  NEW_SLOT_GAS,
} from './test-dear-state.ts'
import { NATIVE, testNetwork, USDC } from './test-network.ts'
import { testPayer } from './test-payer.ts'
import { permit2Payer } from './test-permit2.ts'
import {
  creation,
  demand,
  FACTORY,
  hex,
  more,
  openWalletWorld,
  PRICE,
  SELLER,
  signed,
  withSignature,
} from './test-wallets.ts'
import type { WalletWorld } from './test-wallets.ts'

/** What paying by EIP-3009 makes for a seller who has none of the token: the use of the nonce, and the balance. The payer's own balance changes. */
const PAYS_NEW_SELLER = 2n * NEW_SLOT_GAS + CHANGED_SLOT_GAS
/** What USDC itself, behind its proxy and with its black list, takes on top of the token here. */
const USDC_ITSELF = 35_000n

let dearer = 0n
let wallets: WalletWorld
beforeAll(async () => {
  wallets = await openWalletWorld(dearBy(() => dearer))
})
beforeEach(() => {
  dearer = 0n
})
afterAll(() => wallets.world.sandbox.stop())

async function expectTaken(exact: ExactPayments, authorization: ExactAuthorization) {
  expect(await exact.check(authorization)).toEqual({ ok: true })
  expect(await exact.draft(authorization, wallets.settler.address)).toMatchObject({ ok: true })
}

test('a key pays a seller who is new to USDC where new state is dear', async () => {
  const payer = testPayer()
  await wallets.world.sandbox.fund(payer.address, 'USDC', '1')
  dearer = PAYS_NEW_SELLER + USDC_ITSELF
  await expectTaken(wallets.exact, wallets.readOf(await signed(payer, payer.address)))
})

test('an account with code pays such a seller there', async () => {
  const owner = testPayer()
  const wallet = await wallets.walletOf(owner)
  dearer = PAYS_NEW_SELLER + USDC_ITSELF
  const authorization = wallets.readOf(withSignature(await signed(owner, wallet), more))
  await expectTaken(wallets.exact, authorization)
})

test('an account behind a proxy is made there by its first payment, with two owners', async () => {
  const owner = testPayer()
  const bytecode = creation('none', owner.address)
  const salt = hex(randomBytes(32).toString('hex'))
  const wallet = parseAddress(getCreate2Address({ from: FACTORY, salt, bytecode }))
  if (wallet === undefined) throw new Error('no address')
  await wallets.world.sandbox.fund(wallet, 'USDC', '1')
  // Its implementation, how many owners there are, and of each its two words, their length and that it is one.
  dearer =
    PAYS_NEW_SELLER + USDC_ITSELF + NEW_ACCOUNT_GAS + 130n * CODE_BYTE_GAS + 10n * NEW_SLOT_GAS
  const data = concatHex([salt, bytecode])
  const wrapped = withSignature(await signed(owner, wallet), (signature) =>
    serializeErc6492Signature({ address: hex(FACTORY), data, signature: hex(signature) }),
  )
  await expectTaken(wallets.exact, wallets.readOf(wrapped))
})

test('a key pays such a seller there by Permit2, its permit in the same transaction', async () => {
  const { world } = wallets
  const { exact } = connectEvm({
    config: testNetwork([world.sandbox.rpcUrl], { assets: [NATIVE, USDC], permit2: ['exact'] }),
    log: openLog('silent'),
    clock: systemClock,
    callSeconds: 20,
    post: dearBy(() => dearer),
  })
  if (exact === undefined) throw new Error('no exact')
  const payer = permit2Payer()
  await world.sandbox.fund(payer.address, 'USDC', '1')
  const order = { token: USDC.asset, to: SELLER, amount: PRICE }
  const asked = {
    ...{ ...demand, asset: USDC, x402Version: 2 as const },
    extra: { name: 'USDC', version: '2', assetTransferMethod: 'permit2' },
    extensions: await payer.permit({ token: USDC.asset, amount: PRICE }),
  }
  const read = exact.read(await payer.authorize(order), asked)
  if (!read.ok) throw new Error(read.reason)
  // The permit's nonce, the allowance, Permit2's own nonce and the balance.
  dearer = 4n * NEW_SLOT_GAS + 2n * CHANGED_SLOT_GAS + USDC_ITSELF
  await expectTaken(exact, read.authorization)
})
