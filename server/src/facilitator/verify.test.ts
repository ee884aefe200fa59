import type { NetworkId } from '@florin/wire/network.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  account,
  ALICE,
  BOB,
  CAROL,
  chainWith,
  HASH,
  nodeWith,
  WORLD,
} from '../chains/solana/test-scene.ts'
import {
  limit,
  messageOf,
  newKey,
  PRICE,
  price,
  sealed,
  transfer,
} from '../chains/solana/test-payment.ts'
import { USDC } from '../chains/solana/test-network.ts'
import { proofKey } from '../chains/exact.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { Claim } from './claim.ts'
import type { Presented } from './intake.ts'
import { verifyPayment } from './verify.ts'
import type { VerifyDeps } from './verify.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const accountId = newId(systemRandom, 'acct')

/** A node that takes every payment, and counts how often it was to simulate one. */
async function countingChain() {
  let simulations = 0
  const simulateTransaction = () => {
    simulations += 1
    return { result: { context: { slot: 50 }, value: { err: null, logs: [], unitsConsumed: 500 } } }
  }
  const isBlockhashValid = { context: { slot: 50 }, value: true }
  const accounts = { ...WORLD, [CAROL]: account({}) }
  const { chain } = await chainWith(nodeWith(accounts, { simulateTransaction, isBlockhashValid }))
  return { chain, simulations: () => simulations }
}

function presented(network: NetworkId): Presented {
  const alice = newKey(new Uint8Array(32).fill(1))
  const steps = [limit(30_000), price(1n), transfer({ from: ALICE, to: BOB })]
  const message = messageOf(CAROL, steps, { blockhash: HASH })
  const transaction = Buffer.from(sealed(message, [alice])).toString('base64')
  const paymentRequirements = {
    scheme: 'exact',
    network,
    asset: USDC.asset,
    payTo: BOB,
    amount: `${PRICE}`,
    maxTimeoutSeconds: 60,
    extra: { feePayer: CAROL },
  }
  const payload = { transaction }
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: paymentRequirements, payload },
    paymentRequirements,
  }
}

const claimOn = (network: NetworkId): Claim => ({
  paymentId: newId(systemRandom, 'pay'),
  accountId,
  network,
  proofKey: proofKey('message:00'),
  termsDigest: new Uint8Array(32),
  x402Version: 2,
  stored: {},
  validBeforeSeconds: null,
  judged: [],
  sinceHeight: 0n,
  facilitator: null,
  builtUntilMilliseconds: null,
  isSoft: false,
  looks: 0,
  answeredAtMilliseconds: null,
})

function withoutClaims({ store, records, chains, settlersOf }: VerifyDeps): VerifyDeps {
  return { store, records, chains, settlersOf }
}

describe('a plain transfer on Solana', () => {
  const cases: readonly [string, (deps: VerifyDeps) => VerifyDeps, number][] = [
    ['is simulated once, and by its accounts alone afterwards', (deps) => deps, 1],
    ['is simulated each time where no claim can be looked at', withoutClaims, 3],
    [
      'is simulated each time where somebody has claimed it',
      (deps) => ({ ...deps, claimOf: async ({ network }) => claimOn(network) }),
      3,
    ],
  ]
  test.each(cases)('%s', async (_, change, expected) => {
    const { chain, simulations } = await countingChain()
    const { network } = chain.config
    const deps = change({
      store: database.store,
      records: { state: async () => undefined },
      chains: new Map([[network, chain]]),
      settlersOf: () => new Set([CAROL]),
      claimOf: async () => undefined,
    })
    for (let time = 0; time < 3; time += 1) {
      expect(await verifyPayment(deps, accountId, presented(network))).toMatchObject({ ok: true })
    }
    expect(simulations()).toBe(expected)
  })
})

describe('whoever shows what its payer never signed', () => {
  test.each([
    ['hears that first', true, 'invalid_exact_evm_signature', 'invalid_exact_evm_signature'],
    [
      'and nobody else',
      true,
      'invalid_exact_evm_insufficient_balance',
      'receiver_of_another_account',
    ],
    [
      'also where it was looked at when it was read',
      undefined,
      'invalid_exact_evm_signature',
      'invalid_exact_evm_signature',
    ],
  ] as const)('%s', async (_, isUnjudged, reason, said) => {
    const { chain } = await countingChain()
    const { exact } = chain
    if (exact === undefined) throw new Error('no exact')
    const { network } = chain.config
    const asked: unknown[] = []
    const deps: VerifyDeps = {
      store: database.store,
      records: { state: async () => Promise.reject(new Error('nobody asks')) },
      chains: new Map([
        [
          network,
          {
            ...chain,
            exact: {
              ...exact,
              read: (payload, demand) => {
                asked.push(demand.judgedBy)
                const read = exact.read(payload, demand)
                if (!read.ok || isUnjudged === undefined) return read
                return { ok: true, authorization: { ...read.authorization, isUnjudged } }
              },
              check: async () => ({ ok: false, reason }),
            },
          },
        ],
      ]),
      settlersOf: () => new Set([CAROL]),
      receiverOf: async () => newId(systemRandom, 'acct'),
    }
    const atOnce = { ...deps, receiverOf: () => newId(systemRandom, 'acct') }
    for (const each of [deps, atOnce]) {
      const verified = await verifyPayment(each, accountId, presented(network))
      expect(verified).toMatchObject({ ok: false, reason: said })
    }
    expect(asked).toEqual(['check', 'check'])
  })
})
