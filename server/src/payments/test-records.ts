import { sandboxNetwork, solanaSandboxNetwork } from '@florin/cli/up/sandbox-network.ts'
import { baseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Address } from '../chains/chain.ts'
import { connectChain } from '../chains/connect.ts'
import { openTestServer } from '../http/test-server.ts'
import type { Answered } from '../http/test-server.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import type { Store } from '../store/postgres.ts'
import type { Payment } from './payment.ts'
import { openProofs } from './proof.ts'
import { paymentReadRoutes } from './read-routes.ts'
import { insertPayments } from './store.ts'
import { write } from '../store/test-write.ts'

const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
/** Two addresses of each family. */
export const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' as Address
export const EVM_OTHER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' as Address
export const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' as Address

const EVM_NETWORK = sandboxNetwork({
  instance: 'test',
  evm: { network: 'eip155:84532', rpcUrl: 'http://127.0.0.1:1', usdc: TOKEN },
})
const SOLANA_NETWORK = solanaSandboxNetwork({
  instance: 'test',
  solana: {
    network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    rpcUrl: 'http://127.0.0.1:1',
    wsUrl: 'ws://127.0.0.1:1',
    usdc: SOLANA,
  },
})

/** The reading routes over HTTP for two accounts, `alice` and `bob`, on a real database and with real proofs. */
export interface Reading {
  readonly accounts: { readonly alice: AccountId; readonly bob: AccountId }
  readonly proofs: ReturnType<typeof openProofs>
  /** GET with a query of text fields. */
  get(path: string, query?: Record<string, string>, as?: 'alice' | 'bob'): Promise<Answered>
  /** A payment with defaults: alice's native payment from EVM to EVM_OTHER, pending. Not stored. */
  payment(fields?: Partial<Payment>): Payment
  store(payments: readonly Payment[]): Promise<void>
  close(): Promise<void>
}

export async function openReading(store: Store): Promise<Reading> {
  const accounts = { alice: newId(systemRandom, 'acct'), bob: newId(systemRandom, 'acct') }
  for (const [name, id] of Object.entries(accounts)) {
    const insert = `insert into accounts (id, name) values ($1, $2)`
    await write(store, 'test_account', insert, [id, name])
  }
  const configs = [EVM_NETWORK, SOLANA_NETWORK]
  const log = openLog('silent')
  const chains = configs.map((config) => connectChain({ config, log, clock: systemClock }))
  const proofs = openProofs({
    proofKey: new SecretBytes(systemRandom.bytes(32)),
    chains: new Map(chains.map((chain) => [chain.config.network, chain])),
  })
  const networks = new Map(configs.map((config) => [config.network, config]))
  const server = await openTestServer({
    routes: paymentReadRoutes({ store, networks, proofs }),
    authenticate: async ([value = '']) => {
      const named = Object.entries(accounts).find(([name]) => value === `Bearer ${name}`)
      if (named === undefined) throw new Refusal('UNAUTHORIZED')
      const keyId = newId(systemRandom, 'key')
      return { accountId: named[1], keyId, plan: 'standard', scopes: new Set(['read', 'write']) }
    },
  })
  return {
    accounts,
    proofs,
    get: (path, query = {}, as = 'alice') =>
      server.ask('GET', `${path}?${new URLSearchParams(query)}`, {
        headers: { authorization: `Bearer ${as}` },
      }),
    payment: (fields = {}) => ({
      id: newId(systemRandom, 'pay'),
      accountId: accounts.alice,
      type: 'sent',
      walletId: null,
      network: EVM_NETWORK.network,
      asset: 'native',
      amount: baseUnits(5n),
      decimals: 18,
      sender: EVM,
      recipient: EVM_OTHER,
      resource: null,
      metadataText: null,
      priorityFee: null,
      feeCeiling: null,
      commitment: null,
      status: 'pending',
      sandbox: true,
      finalityViolated: false,
      transactionHash: null,
      blockHeight: null,
      logIndex: null,
      feePaid: null,
      failure: null,
      createdAtMilliseconds: 1_790_000_000_000,
      confirmedAtMilliseconds: null,
      settledAtMilliseconds: null,
      ...fields,
    }),
    store: (payments) => store.inTransaction('service', (tx) => insertPayments(tx, payments)),
    close: () => server.close(),
  }
}

/** The fields of an answer's body. */
export function bodyOf({ body }: Answered): Record<string, unknown> {
  return Object(body)
}

/** An answer's payments. */
export function listedIn(answer: Answered): { readonly paymentId: string }[] {
  return Object(bodyOf(answer)['payments'])
}

/** The ids of an answer's payments. */
export function idsOf(answer: Answered): string[] {
  return listedIn(answer).map(({ paymentId }) => paymentId)
}

/** The cursor of the page behind, or null at the end. */
export function nextOf(answer: Answered): string | null {
  const { nextCursor } = bodyOf(answer)
  return typeof nextCursor === 'string' ? nextCursor : null
}

/** The fields that a refusal names, with their rules. */
export function faultsOf(answer: Answered): Record<string, string> {
  return Object(bodyOf(answer)['error']).details
}
