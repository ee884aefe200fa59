import { randomBytes } from 'node:crypto'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import type { SpareTurns } from '../../kernel/spare-turns.ts'
import { until } from '../../kernel/until.ts'
import { NodeFailure } from '../chain.ts'
import type { ExactDemand } from '../exact.ts'
import { addressFromBytes, parseAddress, requireAddress } from './account.ts'
import { bytesFrom } from './answer.ts'
import { checkAuthorization } from './exact-check.ts'
import type { CheckDeps } from './exact-check.ts'
import { openExactReader } from './exact-read.ts'
import { hexDigits } from './hex.ts'
import { addressOfPrivateKey, signDigest } from './secp256k1.ts'
import { readStandings, writeStandings } from './standing-code.ts'
import type { Standpoint } from './standing-code.ts'
import { openStandingPool } from './standing-pool.ts'
import type { AskedStanding } from './standing-pool.ts'
import type { TestChain } from './test-chain.ts'
import { funded, openScene, PRICE, SELLER, startJudging } from './test-judging.ts'
import { USDC } from './test-network.ts'
import { testPayer } from './test-payer.ts'

const NOBODY = '0'.repeat(40)
const DEMAND: ExactDemand = {
  ...{ asset: USDC, payTo: SELLER, amount: PRICE, extra: { name: 'USDC', version: '2' } },
  ...{ settlers: new Set(), judgedBy: 'check' },
}

let world: TestChain
beforeAll(async () => {
  world = await startJudging()
})
afterAll(async () => {
  await world.sandbox.stop()
})

describe('the call that asks where authorizations stand', () => {
  const ask = async (asked: readonly Standpoint[], signatures: readonly string[]) => {
    const data = writeStandings(asked, signatures)
    const result = await world.rpc('eth_call', { data }, 'latest')
    return readStandings(bytesFrom(result, 'standings'), asked.length, signatures.length)
  }
  const settle = async (payload: Fields) => {
    const { chain } = world
    const settler = await world.wallet(['native', '1'])
    const read = chain.exact?.read(payload, { ...DEMAND, judgedBy: undefined })
    if (read?.ok !== true) throw new Error('it does not read')
    const drafted = await chain.exact?.draft(read.authorization, settler.address)
    if (drafted?.ok !== true) throw new Error('it does not settle')
    const { raw, hash } = await chain.sign(drafted.draft.terms, 0n, settler.signer)
    await chain.broadcast([raw])
    const isMined = async () => (await chain.outcomes([hash]))[0]?.state === 'mined'
    await until('it is mined', isMined, { seconds: 30 })
  }
  const at = (
    payer: string,
    nonce: string = randomBytes(32).toString('hex'),
    token = USDC.asset,
  ) => ({
    token: token.slice(2),
    payer: payer.slice(2),
    nonce,
  })

  test('tells of each its state and its payer’s balance, and the time once', async () => {
    const [rich, poor] = [await funded(), testPayer()]
    const payload = await rich.authorize({ asset: USDC, to: SELLER, amount: PRICE })
    const used = String(fieldsOf(payload['authorization'])?.['nonce'])
    await settle(payload)
    const { standings, signers } = await ask(
      [at(rich.address), at(rich.address, used.slice(2)), at(poor.address)],
      [],
    )
    expect(signers).toEqual([])
    expect(standings.map(({ used: state, balance }) => [state, balance])).toEqual([
      [0n, 990_000n],
      [1n, 990_000n],
      [0n, 0n],
    ])
    const block = (await world.rpc('eth_getBlockByNumber', 'latest', false)) as {
      timestamp: string
    }
    const [first] = standings
    expect(BigInt(block.timestamp) - (first?.nowSeconds ?? 0n)).toBeLessThanOrEqual(2n)
    expect(new Set(standings.map(({ nowSeconds }) => nowSeconds)).size).toBe(1)
  })

  test('tells who made signatures as the library of their payers does, and nobody of others', async () => {
    const made = Array.from({ length: 40 }, () => {
      const [key, digest] = [randomBytes(32), randomBytes(32)]
      const rsv = signDigest(digest, key)
      const v = (27 + (rsv[64] ?? 0)).toString(16)
      const rs = hexDigits(rsv.subarray(0, 64))
      return { signer: addressOfPrivateKey(key), text: hexDigits(digest) + v + rs }
    })
    const [first] = made
    const forged = `${first?.text.slice(0, 64)}1b${'f'.repeat(128)}`
    const { standings, signers } = await ask(
      [at(testPayer().address)],
      [...made.map(({ text }) => text), forged, ...made.map(({ text }) => text)],
    )
    const expected = made.map(({ signer }) => signer.slice(2).toLowerCase())
    expect(signers).toEqual([...expected, NOBODY, ...expected])
    expect(standings).toHaveLength(1)
  })

  test('takes a whole call of both', async () => {
    const payer = await funded()
    const digest = randomBytes(32)
    const key = randomBytes(32)
    const rsv = signDigest(digest, key)
    const v = (27 + (rsv[64] ?? 0)).toString(16)
    const signature = hexDigits(digest) + v + hexDigits(rsv.subarray(0, 64))
    const { standings, signers } = await ask(
      Array.from({ length: 150 }, () => at(payer.address)),
      Array.from({ length: 150 }, () => signature),
    )
    expect(standings.every(({ used, balance }) => used === 0n && balance === 1_000_000n)).toBe(true)
    expect(new Set(signers)).toEqual(new Set([addressOfPrivateKey(key).slice(2).toLowerCase()]))
  })

  test('tells of a token that knows no authorizations that it does not', async () => {
    // balanceOf gives 7, and everything else fails.
    const token = await world.contract('0x5f3560e01c6370a0823114601257600080fd5b60075f5260205ff3')
    const { standings } = await ask([at(testPayer().address, undefined, token)], [])
    expect(standings).toMatchObject([{ used: 2n, balance: 7n, hasCode: false }])
  })

  test('is spoiled by no token that burns what it is given', async () => {
    const payer = await funded()
    // balanceOf gives 7, and everything else takes all gas.
    const burner = await world.contract('0x5f3560e01c6370a0823114600f57fe5b60075f5260205ff3')
    const burning = Array.from({ length: 148 }, () => at(payer.address, undefined, burner))
    const asked = [...burning.slice(1), at(burner), at(payer.address), ...burning.slice(0, 1)]
    const data = writeStandings(asked, [])
    const result = await world.rpc('eth_call', { data, gas: '0x2faf080' }, 'latest')
    const { standings } = readStandings(bytesFrom(result, 'standings'), asked.length, 0)
    expect(standings.at(-3)).toMatchObject({ used: 0n, balance: 0n, hasCode: true })
    expect(standings.at(-2)).toMatchObject({ used: 0n, balance: 1_000_000n, hasCode: false })
    expect(standings.at(-1)).toMatchObject({ used: 2n, balance: 7n })
  })

  test('is no answer where there is no token, or where bytes are missing', async () => {
    const nowhere = addressFromBytes(randomBytes(20))
    await expect(ask([at(testPayer().address, undefined, nowhere)], [])).rejects.toThrow(
      NodeFailure,
    )
    expect(() => readStandings(new Uint8Array(64), 1, 0)).toThrow(NodeFailure)
    expect(() => readStandings(new Uint8Array(65), 1, 1)).toThrow(NodeFailure)
    expect(readStandings(new Uint8Array(65), 1, 0).standings).toEqual([
      { used: 0n, balance: 0n, nowSeconds: 0n, hasCode: false },
    ])
  })

  test('reads words of any size', () => {
    const bytes = Buffer.alloc(65)
    const balance = 2n ** 256n - 2n ** 70n - 1n
    Buffer.from(balance.toString(16).padStart(64, '0'), 'hex').copy(bytes, 33)
    bytes[31] = 9
    expect(readStandings(bytes, 1, 0).standings).toEqual([
      { used: 0n, balance, nowSeconds: 9n, hasCode: false },
    ])
  })
})

describe('a signature that nobody has looked at', () => {
  /** A check whose spare turns take everything, or nothing; and what it asked of the node. */
  function openCheck(inSpareTurns: SpareTurns) {
    const calls: string[] = []
    const { chain } = world
    if (chain.exact === undefined) throw new Error('no exact')
    const reader = openExactReader(84_532n, () => true)
    const read = async ({ params, parse }: Parameters<CheckDeps['transport']['read']>[0]) => {
      const [{ data }] = params as readonly [{ data: string }]
      calls.push(data)
      return parse(await world.rpc('eth_call', ...params)) as never
    }
    const deps: CheckDeps = {
      standings: openStandingPool({ read }, systemClock),
      code: NO_CODE,
      transport: { read },
      factories: new Set(),
      fresh: false,
      inSpareTurns,
    }
    const check = async (payload: Readonly<Record<string, unknown>>) => {
      const outcome = reader.read(payload, DEMAND)
      if (!outcome.ok) throw new Error(outcome.reason)
      const { authorization } = outcome
      expect(authorization.isUnjudged).toBe(true)
      return checkAuthorization(deps, reader.restore(authorization.stored, USDC))
    }
    return { calls, check }
  }
  /** The payer's code comes with everything else. */
  const asksCode = async () => Promise.reject(new Error('nobody asks for code apart'))
  const NO_CODE: CheckDeps['code'] = { hasCode: asksCode, hasCodeNow: asksCode }
  const NEVER: SpareTurns = () => false
  const ALWAYS: SpareTurns = (piece) => {
    piece()
    return true
  }
  const LATER: SpareTurns = () => true

  test('is asked of the node where there is no time for it here, with everything else', async () => {
    const payer = await funded()
    const payload = await payer.authorize({ asset: USDC, to: SELLER, amount: PRICE })
    const rs = String(payload['signature']).slice(2, 130)
    for (const [turns, isAsked] of [
      [NEVER, true],
      [ALWAYS, false],
      [LATER, false],
    ] as const) {
      const { calls, check } = openCheck(turns)
      expect(await check(payload)).toEqual({ ok: true, by: 'key' })
      expect(calls.map((data) => data.includes(rs))).toEqual([isAsked])
    }
  })

  test('of somebody else is refused, whoever looks, with what was asked at once', async () => {
    const payer = await funded()
    const forger = testPayer()
    const payload = await forger.authorize({
      ...{ asset: USDC, to: SELLER, amount: PRICE, from: payer.address },
    })
    for (const turns of [NEVER, ALWAYS, LATER]) {
      const { calls, check } = openCheck(turns)
      expect(await check(payload)).toEqual({ ok: false, reason: 'invalid_exact_evm_signature' })
      expect(calls).toHaveLength(1)
    }
  })

  test('that one network has read is read again by another', async () => {
    const payload = await testPayer().authorize({ asset: USDC, to: SELLER, amount: PRICE })
    const [one, other] = [openExactReader(84_532n), openExactReader(8_453n)]
    const outcome = one.read(payload, DEMAND)
    if (!outcome.ok) throw new Error(outcome.reason)
    const { stored } = outcome.authorization
    const digestBy = (reader: typeof one, text: Readonly<Record<string, string>>) =>
      hexDigits(reader.restore(text, USDC).signature.digest())
    expect(one.restore(stored, USDC)).toBe(one.restore(stored, USDC))
    expect(digestBy(one, stored)).toBe(digestBy(one, { ...stored }))
    expect(digestBy(other, stored)).toBe(digestBy(other, { ...stored }))
    expect(digestBy(other, stored)).not.toBe(digestBy(one, stored))
  })

  test('of nobody makes nobody pay', async () => {
    // ecrecover gives nobody for it, which is the address that is said to pay.
    const zero = requireAddress(`0x${NOBODY}`)
    const by = testPayer()
    const payload = await by.authorize({ asset: USDC, to: SELLER, amount: PRICE, from: zero })
    const signature = `0x${'00'.repeat(32)}${'00'.repeat(31)}011b`
    const { check, calls } = openCheck(NEVER)
    expect(await check({ ...payload, signature })).toMatchObject({
      ok: false,
      reason: 'invalid_exact_evm_signature',
    })
    expect(calls).toHaveLength(1)
  })

  test('is looked at here where the node knows no such function, or lies', async () => {
    const payer = await funded()
    const good = await payer.authorize({ asset: USDC, to: SELLER, amount: PRICE })
    const forged = await testPayer().authorize({
      ...{ asset: USDC, to: SELLER, amount: PRICE, from: payer.address },
    })
    const message = 'The payer is an account with code, and this token does not ask code.'
    const wallet = { ok: false, reason: 'invalid_exact_evm_signature', message }
    for (const [payload, said, expected, hasCode] of [
      [good, NOBODY, { ok: true, by: 'key' }, false],
      [good, 'ab'.repeat(20), { ok: true, by: 'key' }, false],
      [forged, NOBODY, { ok: false, reason: 'invalid_exact_evm_signature' }, false],
      [good, payer.address.slice(2).toLowerCase(), wallet, true],
    ] as const) {
      const reader = openExactReader(84_532n, () => true)
      const outcome = reader.read(payload, DEMAND)
      if (!outcome.ok) throw new Error(outcome.reason)
      const standing = {
        used: 0n,
        balance: PRICE,
        nowSeconds: BigInt(Math.floor(Date.now() / 1000)),
      }
      const standings = {
        read: async (_: AskedStanding, askSigner?: () => string | undefined) => {
          expect(askSigner?.()).toHaveLength(2 * 97)
          return { ...standing, hasCode, signer: said }
        },
      }
      const transport = { read: () => Promise.reject(new Error('nothing else is asked')) }
      const rest = { code: NO_CODE, transport, factories: new Set<string>(), fresh: false }
      const checked = reader.restore(outcome.authorization.stored, USDC)
      const deps = { ...rest, standings, inSpareTurns: NEVER }
      expect(await checkAuthorization(deps, checked)).toEqual(expected)
    }
  })

  test('that was nobody’s has all looked at when they are read, for ten seconds', async () => {
    const { exact, time } = openScene()
    const payer = await funded()
    const good = await payer.authorize({ asset: USDC, to: SELLER, amount: PRICE })
    const forged = await testPayer().authorize({
      ...{ asset: USDC, to: SELLER, amount: PRICE, from: payer.address },
    })
    const isUnjudged = () => {
      const read = exact.read(good, DEMAND)
      if (!read.ok) throw new Error(read.reason)
      return read.authorization.isUnjudged === true
    }
    const checkOf = async (payload: typeof good) => {
      const read = exact.read(payload, DEMAND)
      return read.ok ? exact.check(read.authorization) : read
    }
    expect(isUnjudged()).toBe(true)
    expect(await checkOf(good)).toEqual({ ok: true })
    // Good, and cannot be paid: nobody forged anything.
    const poor = await testPayer().authorize({ asset: USDC, to: SELLER, amount: PRICE })
    expect(await checkOf(poor)).toMatchObject({ reason: 'invalid_exact_evm_insufficient_balance' })
    expect(isUnjudged()).toBe(true)
    expect(await checkOf(forged)).toMatchObject({ reason: 'invalid_exact_evm_signature' })
    expect(isUnjudged()).toBe(false)
    expect(await checkOf(good)).toEqual({ ok: true })
    time.aheadMilliseconds = 10_000
    expect(isUnjudged()).toBe(true)
  })

  test('of another form, or beside another fault, is looked at when it is read', async () => {
    const reader = openExactReader(84_532n, () => true)
    const payer = testPayer()
    const payload = await payer.authorize({ asset: USDC, to: SELLER, amount: PRICE })
    const isLeft = (change: object, wanted: object = {}) => {
      const read = reader.read({ ...payload, ...change }, { ...DEMAND, ...wanted })
      return read.ok && read.authorization.isUnjudged === true
    }
    expect(isLeft({})).toBe(true)
    expect(isLeft({ signature: `${String(payload['signature']).slice(0, -2)}05` })).toBe(false)
    expect(isLeft({}, { judgedBy: undefined })).toBe(false)
    expect(isLeft({}, { amount: PRICE + 1n })).toBe(false)
    expect(isLeft({}, { payTo: parseAddress(payer.address) })).toBe(false)
    expect(isLeft({}, { extra: { name: 'Dollar', version: '2' } })).toBe(false)
  })
})
