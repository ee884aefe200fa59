import { randomBytes } from 'node:crypto'
import { getBase58Decoder } from '@solana/kit'
import { expect, test } from 'vitest'
import { readBase58 } from './base58.ts'
import { messageKey, messageKeyIn } from './message-key.ts'
import { readWireTransaction } from './wire-transaction.ts'
import { limit, messageOf, newKey, price, sealed } from './test-payment.ts'

const decoder = getBase58Decoder()

test('what a node tells of a message in JSON has the key of its bytes, and a changed byte has another', () => {
  const [seller, buyer] = [newKey(), newKey()]
  const memo = { program: newKey().address, accounts: [{ address: buyer.address, signs: true }] }
  const steps = [limit(20_000), price(7n), { ...memo, data: Uint8Array.of(0, 0, 9, 255) }]
  const message = messageOf(seller.address, steps, { blockhash: newKey().address })
  const read = readWireTransaction(sealed(message, [seller, buyer]))
  if (read === undefined) throw new Error('not read')
  const keys = [
    ...new Set([
      ...read.signers,
      ...read.instructions.flatMap((each) => [...each.accounts, each.program]),
    ]),
  ]
  const ordered = keysOf(message)
  expect(new Set(ordered)).toEqual(new Set(keys))
  const json = {
    header: {
      numRequiredSignatures: message[1],
      numReadonlySignedAccounts: message[2],
      numReadonlyUnsignedAccounts: message[3],
    },
    accountKeys: ordered,
    recentBlockhash: read.blockhash,
    instructions: read.instructions.map(({ program, accounts, data }) => ({
      programIdIndex: ordered.indexOf(program),
      accounts: accounts.map((each) => ordered.indexOf(each)),
      data: decoder.decode(data),
    })),
  }
  expect(messageKeyIn(0, json)).toBe(messageKey(message))
  expect(messageKeyIn('legacy', json)).toBeNull()
  expect(messageKeyIn(0, { ...json, recentBlockhash: newKey().address })).not.toBe(
    messageKey(message),
  )
})

function keysOf(message: Uint8Array): readonly string[] {
  const count = message[4] ?? 0
  return Array.from({ length: count }, (_, index) =>
    decoder.decode(message.subarray(5 + index * 32, 37 + index * 32)),
  )
}

test('base58 of any length is read as it was written', () => {
  for (const length of [0, 1, 2, 31, 32, 200, 1_232]) {
    const bytes = new Uint8Array(randomBytes(length))
    bytes.fill(0, 0, length >> 3)
    expect(readBase58(decoder.decode(bytes), 1_232)).toEqual(bytes)
  }
  expect(readBase58('0OIl', 32)).toBeUndefined()
  expect(readBase58(decoder.decode(new Uint8Array(33).fill(1)), 32)).toBeUndefined()
})
