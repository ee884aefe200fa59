import { describe, expect, test } from 'vitest'
import type { Address } from '../../chain.ts'
import { addressBytes, addressFromBytes, knownAddress } from '../account.ts'
import type { Account } from '../accounts.ts'
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../programs.ts'
import { mintFacts } from './mint-facts.ts'

const METAPLEX = knownAddress('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s')
const [MINT, OTHER] = [1, 2].map((serial) => addressFromBytes(new Uint8Array(32).fill(serial)))
if (MINT === undefined || OTHER === undefined) throw new Error('two addresses')

const account = (owner: Address, data: Buffer, space = data.length): Account => ({
  lamports: 1n,
  owner,
  isExecutable: false,
  data,
  space: BigInt(space),
})
const word = (address: Address): Buffer => Buffer.from(addressBytes(address))
const text = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}
const base = Buffer.alloc(82)
base.writeBigUInt64LE(77n, 36)
base[44] = 6
base[45] = 1
const extension = (type: number, value: Buffer): Buffer => {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(type)
  head.writeUInt16LE(value.length, 2)
  return Buffer.concat([head, value])
}
const extended = (kind: number, ...extensions: readonly Buffer[]): Buffer =>
  Buffer.concat([base, Buffer.alloc(83), Uint8Array.of(kind), ...extensions])
const pointer = (to: Address) => extension(18, Buffer.concat([word(OTHER), word(to)]))
const named = (of: Address, ...texts: readonly (string | Buffer)[]) =>
  extension(19, Buffer.concat([word(OTHER), word(of), ...texts.map(text)]))
const token2022 = (...extensions: readonly Buffer[]) =>
  account(TOKEN_2022_PROGRAM, extended(1, ...extensions))
const metaplex = (owner: Address, of: Address, creators: Buffer = Buffer.of(0)): Account =>
  account(
    owner,
    Buffer.concat([
      Uint8Array.of(4),
      word(OTHER),
      word(of),
      text('Name\0\0\0'),
      text('SYM\0'),
      text('\0'),
      Uint8Array.of(0, 0),
      creators,
    ]),
  )
const creator = (isVerified: number): Buffer =>
  Buffer.concat([Uint8Array.of(1, 1, 0, 0, 0), word(OTHER), Uint8Array.of(isVerified, 100)])

describe('a mint', () => {
  test('is told with what it says, and nothing that it does not say', () => {
    expect(mintFacts(MINT, account(TOKEN_PROGRAM, base), undefined)).toEqual({
      mint: MINT,
      name: null,
      symbol: null,
      decimals: 6,
      supply: 77n,
      creator: null,
      createdAtMilliseconds: null,
      imageUrl: null,
      mintAuthority: null,
      freezeAuthority: null,
      extensions: [],
    })
  })

  test.each([
    ['nothing', undefined],
    ['of another program', account(SYSTEM_PROGRAM, base)],
    ['not made yet', account(TOKEN_PROGRAM, Buffer.alloc(82))],
    ['cut off', account(TOKEN_PROGRAM, base.subarray(0, 81))],
    ['a token account', account(TOKEN_PROGRAM, Buffer.concat([base, Buffer.alloc(83)]))],
    ['a token account of Token-2022', account(TOKEN_2022_PROGRAM, extended(2))],
    ['extended, though its program knows none', account(TOKEN_PROGRAM, extended(1))],
  ])('is not what is %s', (_, each) => {
    expect(mintFacts(MINT, each, undefined)).toBeUndefined()
  })

  test('of Token-2022 is named by itself where it points to itself', () => {
    const facts = (...extensions: readonly Buffer[]) =>
      mintFacts(MINT, token2022(...extensions), undefined)
    const name = named(MINT, 'Own', 'OWN')
    expect(facts(pointer(MINT), name)).toMatchObject({ name: 'Own', symbol: 'OWN', creator: null })
    expect(facts(pointer(OTHER), name)).toMatchObject({ name: null })
    expect(facts(name)).toMatchObject({ name: null })
    expect(facts(pointer(MINT), named(OTHER, 'Own', 'OWN'))).toMatchObject({ name: null })
    expect(facts(pointer(MINT), name)?.extensions).toEqual(['metadataPointer', 'tokenMetadata'])
    expect(facts(extension(999, Buffer.alloc(0)))?.extensions).toEqual(['type999'])
  })

  test.each([
    ['cut off', Buffer.from('x'), 3],
    ['no text', Buffer.of(0xff, 0xfe), 0],
  ])('whose name is %s has none', (_, name, cut) => {
    const whole = named(MINT, name, 'S')
    const data = token2022(pointer(MINT), whole.subarray(0, whole.length - cut))
    expect(mintFacts(MINT, data, undefined)).toMatchObject({ name: null, symbol: null })
  })

  test('says nothing that a page or a terminal would obey, and nothing without end', () => {
    const hostile = '\u001b[31m\u202eevil\u200b\n name '
    const facts = mintFacts(
      MINT,
      token2022(pointer(MINT), named(MINT, hostile, 'x'.repeat(900))),
      undefined,
    )
    expect(facts).toMatchObject({ name: '[31mevil name', symbol: 'x'.repeat(100) })
  })

  test('is named by Metaplex where it is that program’s own word about this mint', () => {
    const mint = account(TOKEN_PROGRAM, base)
    const of = (named_: Account) => mintFacts(MINT, mint, named_)
    expect(of(metaplex(METAPLEX, MINT))).toMatchObject({
      name: 'Name',
      symbol: 'SYM',
      creator: null,
    })
    expect(of(metaplex(SYSTEM_PROGRAM, MINT))).toMatchObject({ name: null })
    expect(of(metaplex(METAPLEX, OTHER))).toMatchObject({ name: null })
    expect(of(metaplex(METAPLEX, MINT, creator(1)))).toMatchObject({ creator: OTHER })
    expect(of(metaplex(METAPLEX, MINT, creator(0)))).toMatchObject({ creator: null })
  })
})
