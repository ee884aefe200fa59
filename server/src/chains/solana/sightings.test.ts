import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import type { Address, TransactionHash } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import type { Sighting } from '../self-custody.ts'
import { addressFromBytes } from './account.ts'
import { VOTE_PROGRAM } from './arrivals.ts'
import { encodeBase58 } from './base58.ts'
import { openFacts } from './facts.ts'
import type { Instruction } from './message.ts'
import { MEMO_PROGRAM, SYSTEM_PROGRAM } from './programs.ts'
import { readSightings } from './sightings.ts'
import { COMMITMENT, startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'

const COMMITMENT_HEX = Buffer.from(COMMITMENT).toString('hex')
const MEMO: Instruction = {
  program: MEMO_PROGRAM,
  accounts: [],
  data: Buffer.from(`florin1:${COMMITMENT_HEX}`),
}

let world: TestChain
let sender: TestWallet
let other: TestWallet
beforeAll(async () => {
  world = await startTestChain()
  sender = await world.wallet(['native', '1'])
  other = await world.wallet(['native', '1'])
})
afterAll(() => world.sandbox.stop())

/** Lamports from the sender to the other wallet; the System program does not look at what else is named. */
function moving(amount: bigint, ...named: readonly Address[]): Instruction {
  const data = Buffer.alloc(12)
  data.writeUInt32LE(2)
  data.writeBigUInt64LE(amount, 4)
  const accounts = [sender.address, other.address].map((address) => ({ address, isWritable: true }))
  const others = named.map((address) => ({ address, isWritable: false }))
  return { program: SYSTEM_PROGRAM, accounts: [...accounts, ...others], data }
}

/** What is sighted of transactions that a watched sender sends one after the other. */
async function sightedOf(
  ...transactions: readonly (readonly Instruction[])[]
): Promise<readonly Sighting[]> {
  const heights: bigint[] = []
  for (const instructions of transactions) {
    heights.push((await world.run(sender, instructions)).height)
  }
  const [first = 0n, last = first] = [heights[0], heights.at(-1)]
  const blocks = await world.chain.blocks(first, Number(last - first) + 1)
  const watched = { senders: new Set([sender.address]), commitments: new Set<string>() }
  return (await world.chain.selfCustody?.sightings(blocks, async () => watched)) ?? []
}

describe('of what a watched sender sends', () => {
  test('only that is read which carries a memo, however much there is', async () => {
    const found = await sightedOf([moving(1n)], [moving(2n)], [moving(3n), MEMO])
    expect(found).toMatchObject([{ transfers: [{ amount: 3n }], commitments: [COMMITMENT_HEX] }])
  })

  test('nothing is left out that names the program of votes, which whoever makes its bytes can have it do', async () => {
    const found = await sightedOf([moving(4n, VOTE_PROGRAM), MEMO])
    expect(found).toMatchObject([{ commitments: [COMMITMENT_HEX], succeeded: true }])
  })
})

const key = (serial: number): Address => addressFromBytes(new Uint8Array(32).fill(serial))
const [RELAY, OURS, BLOCK] = [key(1), key(2), key(3)]
const hashOf = (serial: number) => encodeBase58(new Uint8Array(64).fill(serial)) as TransactionHash

test('of a fee payer who sends for many, only that is read which carries the signature of who is waited for', async () => {
  const accountsOf = (...keys: readonly Address[]) => keys.map((pubkey) => ({ pubkey }))
  const sent = [
    // Of strangers, with and without a memo; ours is named by one and signs none.
    { keys: [RELAY, key(4), MEMO_PROGRAM], signers: 2 },
    { keys: [RELAY, key(5)], signers: 2 },
    { keys: [RELAY, key(6), OURS, MEMO_PROGRAM], signers: 2 },
    { keys: [RELAY, OURS, MEMO_PROGRAM], signers: 1 },
    // Ours, alone and with somebody else.
    { keys: [RELAY, OURS], signers: 2 },
    { keys: [RELAY, key(7), OURS, MEMO_PROGRAM], signers: 3 },
  ].map(({ keys, signers }, index) => ({
    hash: hashOf(index + 1),
    transaction: {
      accountKeys: accountsOf(...keys),
      signatures: Array.from({ length: signers }, () => hashOf(index + 1)),
    },
  }))
  const asked: unknown[] = []
  const read: Transport['read'] = async ({ method, params, parse }) => {
    if (method === 'getBlock') return parse({ blockhash: BLOCK, transactions: sent })
    asked.push(params[0])
    return parse(null)
  }
  const transport = { read } as Transport
  const facts = openFacts({ transport, clock: systemClock, slotMilliseconds: () => 400 })
  const block = {
    ...{ height: 20n, hash: BLOCK, parentHash: '', timeMilliseconds: 0 },
    transactionHashes: sent.map(({ hash }) => hash),
  }
  await readSightings({ transport, facts }, [block], async ({ senders, cosigned = [] }) => {
    expect([senders, cosigned]).toEqual([[RELAY], [RELAY]])
    return { senders: new Set(), commitments: new Set(), cosigners: new Set([OURS]) }
  })
  expect(asked).toEqual([hashOf(5), hashOf(6)])
})
