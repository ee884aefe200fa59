import { randomBytes } from 'node:crypto'
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token'
import { getAddMemoInstruction } from '@solana-program/memo'
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createKeyPairSignerFromPrivateKeyBytes,
  createNoopSigner,
  createTransactionMessage,
  decompileTransactionMessage,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransaction,
} from '@solana/kit'
import type { Address as KitAddress, Instruction as KitInstruction } from '@solana/kit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Signer } from '../signer.ts'
import { addressFromBytes } from './account.ts'
import { addressOfPrivateKey, signMessage } from './ed25519.ts'
import { MEMO_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { hashOf, signTerms, unsignedBytes } from './sign.ts'
import { readTerms, writeTerms } from './terms.ts'
import type { SolanaTerms } from './terms.ts'

const NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const kit = (address: string): KitAddress => address as KitAddress

const address = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(addressFromBytes)
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const token = fc.record({
  mint: address,
  program: fc.constantFrom(TOKEN_PROGRAM, TOKEN_2022_PROGRAM),
  decimals: fc.nat({ max: 255 }),
  from: address,
  to: address,
  createsAccount: fc.boolean(),
})
const anyTerms: fc.Arbitrary<SolanaTerms> = fc
  .record({
    sender: address,
    recipient: address,
    amount: u64,
    token: fc.option(token, { nil: undefined }),
    digits: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    units: fc.bigInt({ min: 1n, max: 1_400_000n }),
    pricePerUnit: fc.oneof(fc.constant(0n), u64),
    isPriceFixed: fc.boolean(),
    accountRent: u64,
    lifetime: address,
    lastValidBlockHeight: u64,
  })
  .map(({ sender, recipient, amount, token: route, digits, lifetime, units, ...rest }) => ({
    network: NETWORK,
    transfer: {
      sender,
      recipient,
      amount,
      memo: `florin1:${Buffer.from(digits).toString('hex')}`,
      ...(route === undefined ? {} : { token: route }),
    },
    budget: { units, pricePerUnit: rest.pricePerUnit },
    isPriceFixed: rest.isPriceFixed,
    accountRent: rest.accountRent,
    blockhash: lifetime,
    lastValidBlockHeight: rest.lastValidBlockHeight,
  }))

/** The same transaction in the words of the programs' own clients. */
function kitInstructions({ transfer, budget }: SolanaTerms): readonly KitInstruction[] {
  const { token: route, amount, memo } = transfer
  const sender = createNoopSigner(kit(transfer.sender))
  const recipient = kit(transfer.recipient)
  return [
    getSetComputeUnitLimitInstruction({ units: Number(budget.units) }),
    ...(budget.pricePerUnit === 0n
      ? []
      : [getSetComputeUnitPriceInstruction({ microLamports: budget.pricePerUnit })]),
    ...(route?.createsAccount === true
      ? [
          getCreateAssociatedTokenIdempotentInstruction({
            payer: sender,
            ata: kit(route.to),
            owner: recipient,
            mint: kit(route.mint),
            tokenProgram: kit(route.program),
          }),
        ]
      : []),
    route === undefined
      ? getTransferSolInstruction({ source: sender, destination: recipient, amount })
      : getTransferCheckedInstruction(
          {
            source: kit(route.from),
            mint: kit(route.mint),
            destination: kit(route.to),
            authority: sender,
            amount,
            decimals: route.decimals,
          },
          { programAddress: kit(route.program) },
        ),
    getAddMemoInstruction({ memo }, { programAddress: kit(MEMO_PROGRAM) }),
  ]
}

function kitMessage(terms: SolanaTerms) {
  return pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(kit(terms.transfer.sender), message),
    (message) =>
      setTransactionMessageLifetimeUsingBlockhash(
        {
          blockhash: blockhash(terms.blockhash),
          lastValidBlockHeight: terms.lastValidBlockHeight,
        },
        message,
      ),
    (message) => appendTransactionMessageInstructions(kitInstructions(terms), message),
  )
}

/** What an instruction does once its accounts are looked up: who, and whether it writes and signs. */
function plain(instructions: readonly KitInstruction[]): unknown {
  return instructions.map(({ programAddress, accounts = [], data }) => ({
    programAddress,
    accounts: accounts.map(({ address: named }) => named),
    data: Buffer.from(data ?? []).toString('hex'),
  }))
}

describe('signed bytes', () => {
  test("are read by kit as the transaction that the programs' own clients make", () => {
    fc.assert(
      fc.property(anyTerms, (terms) => {
        const bytes = unsignedBytes(terms)
        const compiled = getCompiledTransactionMessageDecoder().decode(bytes)
        expect(getCompiledTransactionMessageEncoder().encode(compiled)).toEqual(bytes)
        const message = decompileTransactionMessage(compiled)
        expect(plain(message.instructions)).toEqual(plain(kitInstructions(terms)))
        expect(message.feePayer.address).toBe(terms.transfer.sender)
        expect(compiled).toMatchObject({ version: 0, lifetimeToken: terms.blockhash })
        const theirs = getCompiledTransactionMessageDecoder().decode(
          compileTransaction(kitMessage(terms)).messageBytes,
        )
        expect(compiled.header).toEqual(theirs.header)
        expect(new Set(compiled.staticAccounts)).toEqual(new Set(theirs.staticAccounts))
        const writable = (each: typeof compiled) =>
          new Set(
            each.staticAccounts.slice(
              0,
              each.staticAccounts.length - each.header.numReadonlyNonSignerAccounts,
            ),
          )
        expect(writable(compiled)).toEqual(writable(theirs))
      }),
    )
  })

  test('carry the signature and the id that kit gives them', async () => {
    await fc.assert(
      fc.asyncProperty(anyTerms, async (drawn) => {
        const key = new Uint8Array(randomBytes(32))
        const pair = await createKeyPairSignerFromPrivateKeyBytes(key)
        const sender = addressOfPrivateKey(key)
        const terms = { ...drawn, transfer: { ...drawn.transfer, sender } }
        const signed = await signTerms(terms, signerOf(key))
        const decoded = getTransactionDecoder().decode(signed.raw)
        const theirs = await signTransaction([pair.keyPair], {
          ...decoded,
          signatures: { [pair.address]: null },
        })
        expect(decoded.signatures).toEqual(theirs.signatures)
        const [signature] = Object.values(theirs.signatures)
        expect(signed.hash).toBe(getBase58Decoder().decode(signature ?? new Uint8Array()))
        expect(hashOf(signed.raw)).toBe(signed.hash)
      }),
      { numRuns: 30 },
    )
  })

  test('are the same for the same terms, before and after they were stored', () => {
    fc.assert(
      fc.property(anyTerms, (terms) => {
        const stored: unknown = JSON.parse(JSON.stringify(writeTerms(terms)))
        const read = readTerms(stored as ReturnType<typeof writeTerms>, NETWORK)
        expect(read).toEqual(terms)
        expect(unsignedBytes(read)).toEqual(unsignedBytes(terms))
      }),
    )
  })

  test("are not made of a signature that is not the sender's", async () => {
    const [terms] = fc.sample(anyTerms, 1)
    if (terms === undefined) throw new Error('no sample')
    const signer = signerOf(new Uint8Array(32).fill(7))
    await expect(signTerms(terms, signer)).rejects.toThrow('did not sign for the sender')
  })
})

describe('stored terms', () => {
  const [terms] = fc.sample(anyTerms, { numRuns: 1, seed: 1 })
  if (terms === undefined) throw new Error('no sample')
  const stored = writeTerms(terms)

  test('of another network are not read', () => {
    expect(() => readTerms(stored, 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp')).toThrow('network')
  })

  test.each(Object.keys(stored).filter((field) => field !== 'network'))(
    'without a proper %s are not read',
    (field) => {
      for (const value of ['', '-1']) {
        if (field === 'memo' || field === 'blockhash') if (value !== '') continue
        const broken = { ...stored, [field]: value } as typeof stored
        expect(() => readTerms(broken, NETWORK)).toThrow(field)
      }
    },
  )
})

function signerOf(key: Uint8Array): Signer {
  return {
    address: addressOfPrivateKey(key),
    sign: async (message) => signMessage(message, key),
  }
}
