import { describe, expect, test } from 'vitest'
import { NotCarried } from '../../server/src/chains/venue.ts'
import type { TradeSide } from '../../server/src/chains/venue.ts'
import { chainLines } from '../../server/src/chains/solana/markets/test-router.ts'
import { TOKEN_PROGRAM } from '../../server/src/chains/solana/programs.ts'
import {
  ALICE,
  ALICES,
  BOB,
  RENT,
  TOKEN_RENT,
  account,
  tokenAccount,
} from '../../server/src/chains/solana/test-scene.ts'
import type { Accounts } from '../../server/src/chains/solana/test-scene.ts'
import { addressBytes } from '../../server/src/chains/solana/account.ts'
import { result } from '../../server/src/chains/solana/test-script.ts'
import {
  COMMITMENT,
  FEE,
  HELD,
  LAMPORTS,
  VOLUME,
  VOLUME_RENT,
  openPump,
  quoteOf,
  worldOf,
} from './test-scene.ts'
import { curveOf } from './test-vectors.ts'

const IN = { buy: 1_000_000_000n, sell: 4_000_000n }
const DELEGATE_AT = 72
const DELEGATED_AT = 121
const CLOSE_AUTHORITY_AT = 129

/** A token account of Alice's with somebody named at these places, and so many tokens lent. */
function lent(amount: bigint, places: readonly number[], delegated = 0n, who = BOB): object {
  const data = Buffer.alloc(165)
  const bare = tokenAccount(ALICE, { amount })
  if (!('data' in bare) || !Array.isArray(bare.data)) throw new Error('no data')
  Buffer.from(String(bare.data[0]), 'base64').copy(data)
  for (const place of places) {
    data.writeUInt32LE(1, place)
    Buffer.from(addressBytes(who)).copy(data, place + 4)
  }
  data.writeBigUInt64LE(delegated, DELEGATED_AT)
  return account({ lamports: TOKEN_RENT, owner: TOKEN_PROGRAM, data })
}

/** What a simulation shows: a trade that moves exactly what was agreed on, and these accounts behind it. */
async function drafted(
  side: TradeSide,
  accounts: Accounts,
  shown: (held: bigint, native: bigint) => Accounts,
) {
  const out = (await quoteOf((await openPump(accounts)).venue, side, IN[side])).amountOut
  const native = LAMPORTS - FEE + (side === 'buy' ? -IN.buy : out)
  const held = HELD + (side === 'buy' ? out : -IN.sell)
  const after: Accounts = {
    [ALICE]: account({ lamports: native }),
    [ALICES]: tokenAccount(ALICE, { amount: held }),
    ...shown(held, native),
  }
  const { venue } = await openPump(accounts, {
    ...chainLines(native, held),
    simulateTransaction: ([, options]: [string, { accounts: { addresses: readonly string[] } }]) =>
      result({
        context: { slot: 50 },
        value: {
          ...{ err: null, logs: [] },
          accounts: options.accounts.addresses.map((each) => after[each] ?? null),
        },
      }),
  })
  const quote = await quoteOf(venue, side, IN[side])
  return venue.draft({ wallet: ALICE, quote, minimumOut: out, commitment: COMMITMENT })
}

describe.each(['buy', 'sell'] as const)('a %s is not carried where it would', (side) => {
  test.each<[string, (held: bigint, native: bigint) => Accounts]>([
    ['lend tokens', (held) => ({ [ALICES]: lent(held, [DELEGATE_AT], 1n) })],
    ['let somebody close', (held) => ({ [ALICES]: lent(held, [CLOSE_AUTHORITY_AT]) })],
    ['hand the wallet over', (_, lamports) => ({ [ALICE]: account({ lamports, owner: BOB }) })],
    [
      'fill the wallet with data',
      (_, lamports) => ({ [ALICE]: account({ lamports, data: Buffer.alloc(80) }) }),
    ],
  ])('%s', async (_, shown) => {
    await expect(drafted(side, worldOf(), shown)).rejects.toThrow(NotCarried)
  })
})

describe('an account for the same coin that is handed over or closed', () => {
  const VOLUME_ADDRESS = String(VOLUME?.address)
  // Any account of the transaction may be one of the wallet's.
  const accounts = { ...worldOf(), [VOLUME_ADDRESS]: tokenAccount(ALICE, { amount: 0n }) }
  test.each<[string, Accounts]>([
    ['to others', { [VOLUME_ADDRESS]: tokenAccount(BOB, { amount: 0n }) }],
    ['to nobody', {}],
  ])('%s is seen, though no amount says so', async (_, shown) => {
    await expect(drafted('buy', accounts, () => shown)).rejects.toThrow('hand an account')
  })

  test('made for the wallet with somebody who may close it is seen', async () => {
    const shown = { [VOLUME_ADDRESS]: lent(0n, [CLOSE_AUTHORITY_AT]) }
    await expect(drafted('buy', worldOf(), () => shown)).rejects.toThrow('hand an account')
  })
})

test('what the wallet had lent before stays, and no more', async () => {
  const both = [DELEGATE_AT, CLOSE_AUTHORITY_AT]
  const accounts = { ...worldOf(), [ALICES]: lent(HELD, both, 3n) }
  const go = (delegated: bigint, who = BOB) =>
    drafted('buy', accounts, (held) => ({ [ALICES]: lent(held, both, delegated, who) }))
  expect(await go(3n)).toMatchObject({ ok: true })
  await expect(go(4n)).rejects.toThrow('hand an account')
  await expect(go(3n, ALICE)).rejects.toThrow('hand an account')
})

test('lamports that a stranger sent ahead keep nobody out, and lessen the rent', async () => {
  const ahead = {
    ...worldOf(curveOf(2), true),
    [String(VOLUME?.address)]: account({ lamports: RENT }),
  }
  const rest = VOLUME_RENT - RENT
  const shown = (_: bigint, native: bigint) => ({ [ALICE]: account({ lamports: native - rest }) })
  expect(await drafted('buy', ahead, shown)).toMatchObject({
    ok: true,
    draft: { feeCeiling: FEE + rest },
  })
  const more = { ...ahead, [String(VOLUME?.address)]: account({ lamports: VOLUME_RENT + 1n }) }
  expect(await drafted('sell', more, () => ({}))).toMatchObject({
    ok: true,
    draft: { feeCeiling: FEE },
  })
})
