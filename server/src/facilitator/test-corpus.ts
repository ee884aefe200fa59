import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Presentation } from './test-oracle.ts'

/** Takes a field away. */
export const GONE = Symbol('gone')

/** What stands in a field instead. */
export const WRONG: readonly (readonly [string, unknown])[] = [
  ['gone', GONE],
  ['null', null],
  ['empty', ''],
  ['a number', 7],
  ['zero', 0],
  ['true', true],
  ['false', false],
  ['a list', []],
  ['an object', {}],
  ['a word', 'x'],
  ['a space', ' '],
  ['a digit', '0'],
  ['very long', 'x'.repeat(5_000)],
  ['an inherited name', '__proto__'],
]

/** Other ways to write a number, and other numbers. */
export const NUMBERS: readonly (readonly [string, unknown])[] = [
  '00',
  '01',
  '+1',
  '-1',
  '1.0',
  '1e3',
  '0x2710',
  '0b1',
  ' 10000',
  '10000\n',
  '１0000',
  '9999',
  '10001',
  '249999',
  '250001',
  String(2n ** 53n),
  String(2n ** 64n - 1n),
  String(2n ** 64n),
  String(2n ** 128n),
  String(2n ** 256n - 1n),
  String(2n ** 256n),
  '9'.repeat(78),
  '9'.repeat(200),
].map((text) => [`the number ${text.slice(0, 20)}`, text] as const)

/** Networks that look alike, live and test ones, of both families. */
export const NETWORKS: readonly string[] = [
  'eip155:84532',
  'eip155:8453',
  'eip155:1',
  'eip155:084532',
  'eip155:0x14a34',
  'EIP155:84532',
  'eip155:84532 ',
  'eip155: 84532',
  'eip155:*',
  'eip155:',
  'base-sepolia',
  'base',
  'Base-Sepolia',
  'base_sepolia',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z',
  'solana:etwtrabzayq6imfeykouru166vu2xqa1',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1wv6p4bZp',
  'solana-devnet',
  'solana',
  'solana:devnet',
]

/** A presentation with one field changed; `path` goes from the body of the request downwards. */
export function changed(
  { name, presented }: Presentation,
  path: readonly string[],
  [what, value]: readonly [string, unknown],
): Presentation {
  const fields = put({ ...presented }, path, value)
  const { x402Version, paymentPayload, paymentRequirements } = fields
  return {
    name: `${name}; ${path.join('.')}: ${what}`,
    presented: { x402Version, paymentPayload, paymentRequirements },
  }
}

function put(fields: Fields, [first, ...rest]: readonly string[], value: unknown): Fields {
  if (first === undefined) return fields
  const { [first]: old, ...others } = fields
  if (rest.length > 0) return { ...fields, [first]: put(fieldsOf(old) ?? {}, rest, value) }
  return value === GONE ? others : { ...fields, [first]: value }
}

/** The fields of a request that both families have. */
export function pathsOf(version: 1 | 2): readonly (readonly string[])[] {
  const requirements = ['scheme', 'network', 'asset', 'payTo', 'maxTimeoutSeconds', 'extra']
  const amount = version === 1 ? 'maxAmountRequired' : 'amount'
  return [
    ...[...requirements, amount].map((field) => ['paymentRequirements', field]),
    ...(version === 1
      ? [
          ['paymentPayload', 'scheme'],
          ['paymentPayload', 'network'],
        ]
      : [...requirements, amount].map((field) => ['paymentPayload', 'accepted', field])),
    ...(version === 1 ? [] : [['paymentPayload', 'accepted']]),
    ['paymentPayload', 'x402Version'],
    ['paymentPayload', 'payload'],
    ['paymentPayload', 'extensions'],
    ['paymentPayload', 'resource'],
    ['paymentPayload'],
    ['paymentRequirements'],
  ]
}

/** Every field of a presentation changed in every way there is for it. */
export function fieldCases(
  base: Presentation,
  version: 1 | 2,
  own: readonly (readonly string[])[],
): Presentation[] {
  const paths = [...pathsOf(version), ...own]
  return paths.flatMap((path) => {
    const field = path.at(-1) ?? ''
    const values = [
      ...WRONG,
      ...(/amount|value|valid|maxAmount/i.test(field) ? NUMBERS : []),
      ...(field === 'network' ? NETWORKS.map((text) => [text, text] as const) : []),
    ]
    return values.map((value) => changed(base, path, value))
  })
}

/** Both networks of a payment at once, so that they agree with each other. */
export function networkCases(base: Presentation, version: 1 | 2): Presentation[] {
  const own = version === 1 ? ['network'] : ['accepted', 'network']
  return NETWORKS.map((network) => {
    const value = [network, network] as const
    return changed(
      changed(base, ['paymentPayload', ...own], value),
      ['paymentRequirements', 'network'],
      value,
    )
  })
}
