import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseNetworkId } from '@florin/wire/network.ts'
import { NOTHING_SPENT, decide } from './decide.ts'
import type { SpendRequest } from './decide.ts'
import type { AssetLimit, PolicyRules } from './rules.ts'
import { parseStoredRules, storedRules } from './rules.ts'

const network = parseNetworkId('eip155:84532') ?? fail()
const otherNetwork = parseNetworkId('eip155:8453') ?? fail()
const usdc = { network, asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', decimals: 6 }

function fail(): never {
  throw new Error('not a network')
}

const rulesWith = (limit: Partial<AssetLimit>, rest: Partial<PolicyRules> = {}): PolicyRules => ({
  limits: [{ ...usdc, ...limit }],
  recipients: null,
  resources: null,
  ...rest,
})
const request = (amount: bigint, rest: Partial<SpendRequest> = {}): SpendRequest => ({
  network,
  asset: usdc.asset,
  amount,
  recipient: '0xA',
  resource: null,
  ...rest,
})

describe('a spending policy', () => {
  test('allows up to the last base unit of each rule and not one more', () => {
    for (const rule of ['perPayment', 'perHour', 'perDay', 'perMonth'] as const) {
      const rules = rulesWith({ [rule]: 2_500_000n })
      const spent = rule === 'perPayment' ? NOTHING_SPENT : { ...NOTHING_SPENT, [rule]: 1_000_000n }
      const left = rule === 'perPayment' ? 2_500_000n : 1_500_000n
      expect(decide(rules, spent, request(left))).toBeUndefined()
      expect(decide(rules, spent, request(left + 1n))).toEqual({
        rule,
        limit: '2.5',
        left: rule === 'perPayment' ? '2.5' : '1.5',
      })
    }
  })

  test('says that nothing is left, not less, when it was tightened below what is spent', () => {
    const spent = { ...NOTHING_SPENT, perDay: 5_000_000n }
    expect(decide(rulesWith({ perDay: 1_000_000n }), spent, request(1n))).toEqual({
      rule: 'perDay',
      limit: '1',
      left: '0',
    })
  })

  test('refuses an asset or network that its limits do not name, and any when it has none', () => {
    const rules = rulesWith({})
    expect(decide(rules, NOTHING_SPENT, request(10n ** 30n))).toBeUndefined()
    const native = request(1n, { asset: 'native' })
    expect(decide(rules, NOTHING_SPENT, native)).toEqual({ rule: 'limits' })
    const elsewhere = request(1n, { network: otherNetwork })
    expect(decide(rules, NOTHING_SPENT, elsewhere)).toEqual({ rule: 'limits' })
    expect(decide({ ...rules, limits: [] }, NOTHING_SPENT, native)).toBeUndefined()
  })

  test('pays only the recipients and resources it lists; an empty list pays nobody', () => {
    const rules = rulesWith({}, { recipients: ['0xA'], resources: ['https://seller.example/v1'] })
    const good = request(1n, { resource: 'https://seller.example/v1/quote' })
    expect(decide(rules, NOTHING_SPENT, good)).toBeUndefined()
    const stranger = { ...good, recipient: '0xB' }
    expect(decide(rules, NOTHING_SPENT, stranger)).toEqual({ rule: 'recipients' })
    for (const resource of [null, 'https://seller.example/v2']) {
      expect(decide(rules, NOTHING_SPENT, { ...good, resource })).toEqual({ rule: 'resources' })
    }
    const nobody = { ...rules, recipients: [] }
    expect(decide(nobody, NOTHING_SPENT, good)).toEqual({ rule: 'recipients' })
    const nothing = { ...rules, resources: [] }
    expect(decide(nothing, NOTHING_SPENT, good)).toEqual({ rule: 'resources' })
  })

  test('comes back from the database as it went in, whatever its amounts', () => {
    const amount = fc.option(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), { nil: undefined })
    const amounts = fc
      .record({ perPayment: amount, perHour: amount, perDay: amount, perMonth: amount })
      .map((given) => Object.fromEntries(Object.entries(given).filter(([, v]) => v !== undefined)))
    fc.assert(
      fc.property(amounts, (given) => {
        const rules = rulesWith(given, { recipients: [], resources: null })
        expect(parseStoredRules(JSON.parse(storedRules(rules)))).toEqual(rules)
      }),
    )
  })

  test.each([null, {}, { limits: [{}], recipients: null, resources: null }, 'text'])(
    'that cannot be read (%j) is an error, not a policy without rules',
    (value) => {
      expect(() => parseStoredRules(value)).toThrow('not readable')
    },
  )
})
