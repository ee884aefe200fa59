import { describe, expect, test } from 'vitest'
import type { Address } from '../chain.ts'
import { NATIVE_MINT, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { NATIVE, USDC } from './test-network.ts'
import {
  BOB,
  BOBS,
  CAROL,
  MINT,
  MINT_DATA,
  RENT,
  WORLD,
  account,
  chainWith,
  nodeWith,
  order,
  refusalOf,
  simulated,
  tokenAccount,
  wallet,
} from './test-scene.ts'
import type { Accounts, Held } from './test-scene.ts'
import { associatedAccount } from './token-account.ts'

describe('a recipient is refused', () => {
  const off = associatedAccount(CAROL, TOKEN_PROGRAM, MINT).address
  test.each<[string, string, Address, Accounts]>([
    ['recipient_is_zero', 'the zero address', SYSTEM_PROGRAM, {}],
    ['recipient_is_asset', 'a configured mint', MINT, {}],
    ['recipient_is_asset', 'the mint of wrapped SOL, wherever it is not', NATIVE_MINT, {}],
    ['recipient_is_no_wallet', 'an address that no key can have and that does not exist', off, {}],
    [
      'recipient_is_no_wallet',
      'a program',
      CAROL,
      {
        [CAROL]: account({
          executable: true,
          owner: 'BPFLoaderUpgradeab1e11111111111111111111111',
        }),
      },
    ],
    [
      'recipient_is_no_wallet',
      "a program's code",
      CAROL,
      { [CAROL]: account({ owner: 'BPFLoaderUpgradeab1e11111111111111111111111' }) },
    ],
    ['recipient_is_no_wallet', 'a token account', BOBS, {}],
    [
      'recipient_is_no_wallet',
      'another mint',
      CAROL,
      { [CAROL]: account({ owner: TOKEN_2022_PROGRAM }) },
    ],
    [
      'recipient_is_no_wallet',
      'a record of the cluster',
      CAROL,
      { [CAROL]: account({ owner: 'Sysvar1111111111111111111111111111111111111' }) },
    ],
  ])('as %s: %s', async (refusal, _, recipient, accounts) => {
    const lines = nodeWith({ ...WORLD, ...accounts })
    for (const asset of [NATIVE, USDC]) {
      expect(await refusalOf(lines, order(1_000_000n, asset, { recipient }))).toBe(refusal)
    }
  })

  test('not when no key can have its address but it exists: a vault of a program', async () => {
    const lines = nodeWith({ ...WORLD, [off]: account({}) })
    expect(await refusalOf(lines, order(1n, NATIVE, { recipient: off }))).toBe('none')
    expect(await refusalOf(lines, order(1n, USDC, { recipient: off }))).toBe('none')
  })

  test('for an amount that leaves a new account below the rent-exempt minimum', async () => {
    const to = (amount: bigint, asset = NATIVE) => order(amount, asset, { recipient: CAROL })
    expect(await refusalOf(nodeWith(), to(RENT - 1n))).toBe('amount_below_rent')
    expect(await refusalOf(nodeWith(), to(RENT))).toBe('none')
    expect(await refusalOf(nodeWith(), to(1n, USDC))).toBe('none')
  })

  test.each<[string, Held]>([
    ['is frozen', { state: 2 }],
    ['was given to somebody else', { owner: CAROL }],
    ['is of another mint', { mint: CAROL }],
    ['was never begun', { state: 0 }],
    ['belongs to another program', { program: TOKEN_2022_PROGRAM }],
  ])('when its token account %s', async (_, held) => {
    const lines = nodeWith({ ...WORLD, [BOBS]: tokenAccount(BOB, held) })
    expect(await refusalOf(lines, order(1n, USDC))).toBe('recipient_refuses')
    expect(await refusalOf(lines, order(1n))).toBe('none')
  })

  test.each([{ InstructionError: [1, { Custom: 17 }] }, { InstructionError: [1, 'IllegalOwner'] }])(
    'when the simulation fails on the transfer with %j',
    async (err) => {
      expect(await refusalOf(nodeWith(WORLD, simulated(err)), order(1n, USDC))).toBe(
        'recipient_refuses',
      )
    },
  )

  test('when the mint would keep a part of the amount', async () => {
    const mint = { ...USDC, asset: wallet(9) }
    const data = Buffer.alloc(166 + 4 + 108)
    data.set(MINT_DATA)
    data.writeUInt16LE(1, 166)
    data.writeUInt16LE(108, 168)
    data.writeBigUInt64LE(10n ** 9n, 170 + 72 + 8)
    data.writeUInt16LE(100, 170 + 72 + 16)
    const lines = nodeWith({ ...WORLD, [mint.asset]: account({ owner: TOKEN_2022_PROGRAM, data }) })
    const { chain } = await chainWith(lines, [NATIVE, mint])
    expect(await chain.draft(order(1n, mint))).toEqual({ ok: false, refusal: 'recipient_refuses' })
  })
})
