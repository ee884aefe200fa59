import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { deleteKey } from './access/delete-key.ts'
import { changeAccount } from './access/operator-store.ts'
import { openTestDoor } from './access/test-door.ts'
import type { TestDoor } from './access/test-door.ts'
import type { Draft } from './chains/chain.ts'
import { requireAddress } from './chains/evm/account.ts'
import { connectEvm } from './chains/evm/connect.ts'
import { testNetwork, USDC } from './chains/evm/test-network.ts'
import { openDirectory } from './chains/directory.ts'
import { assertProblem } from './http/test-server.ts'
import type { AccountId, KeyId } from './kernel/id.ts'
import { newId } from './kernel/id.ts'
import { limits } from './kernel/limits.ts'
import { openLog } from './kernel/log.ts'
import { systemRandom } from './kernel/random.ts'
import { openSellers } from './purchases/ask-seller.ts'
import { purchaseRoutes } from './purchases/routes.ts'
import { paymentRoutes } from './payments/routes.ts'
import type { PaymentRoutesDeps } from './payments/routes.ts'
import { noWaits } from './payments/test-waits.ts'
import type { Waits } from './payments/wait.ts'
import { write } from './store/test-write.ts'

const PAID = '0x00000000000000000000000000000000000000bb'
const URL_OF_SELLER = 'https://shop.example/report'

/** What anybody is asked before something is signed: it takes its time, and meanwhile this happens. */
let meanwhile: () => Promise<void>
let signed = 0
let door: TestDoor

const DEMAND = {
  x402Version: 1,
  accepts: [
    {
      ...{ scheme: 'exact', network: 'base-sepolia', maxAmountRequired: '1', asset: USDC.asset },
      ...{ payTo: PAID, maxTimeoutSeconds: 60, extra: { name: 'USDC', version: '2' } },
      ...{ resource: URL_OF_SELLER, description: '', mimeType: '' },
    },
  ],
}

beforeAll(async () => {
  door = await openTestDoor(({ store, clock, random }) => {
    const config = testNetwork(['http://127.0.0.1:1'])
    const connected = connectEvm({ config, log: openLog('silent'), clock, callSeconds: 1 })
    const { exact } = connected
    if (exact === undefined) throw new Error('no way to pay sellers')
    const chain = {
      ...connected,
      draft: async () => {
        await meanwhile()
        return { ok: true, draft: {} as Partial<Draft> as Draft } as const
      },
      exact: {
        ...exact,
        authorize: async () => ({ ok: true, prepared: { sign } }) as const,
      },
    }
    const directory = openDirectory([chain])
    const waits: Waits = { ...noWaits, until: async () => undefined, count: () => 0 }
    const lookUntilPaid = async () => undefined
    const common = {
      store,
      clock,
      random,
      directory,
      waits,
      lookUntilPaid,
      killPoint: () => undefined,
    }
    const sellers = openSellers({
      request: async () => {
        await meanwhile()
        const body = Buffer.from(JSON.stringify(DEMAND))
        return { kind: 'answered', status: 402, headers: new Map(), body }
      },
    })
    const payments: Partial<PaymentRoutesDeps> = {
      ...common,
      networks: new Map([[config.network, config]]),
      queue: { submit: sign, drained: async () => undefined },
      proofs: { commitmentOf: () => new Uint8Array(32), proofOf: () => null } as Partial<
        PaymentRoutesDeps['proofs']
      > as PaymentRoutesDeps['proofs'],
    }
    return [
      ...paymentRoutes(payments as PaymentRoutesDeps),
      ...purchaseRoutes({ ...common, sellers, signerFor: sign }),
    ]
  })
})
beforeEach(() => {
  signed = 0
})
afterAll(() => door.close())

async function sign(): Promise<never> {
  signed += 1
  throw new Error('this would have been signed')
}

/** What is asked for, beside the wallet that is to pay. */
const PAYMENTS = {
  '/payment/send': { recipientAddress: PAID, amount: '1' },
  '/payment/fetch': { url: URL_OF_SELLER, maxAmount: '1' },
}

/** How the power to pay ends. */
const ENDS = {
  'the key is deleted': (accountId: AccountId, keyId: KeyId) =>
    deleteKey(door.deps, { accountId, keyId }),
  'the account is suspended': (accountId: AccountId) =>
    door.database.store.inTransaction('service', (tx) =>
      changeAccount(tx, accountId, { suspended: true }, door.time.now),
    ),
}

async function pay(path: keyof typeof PAYMENTS, end: (typeof ENDS)[keyof typeof ENDS] | null) {
  const { accountId, keyId, text } = await door.aKey('standard', ['write'])
  const walletAddress = requireAddress(`0x${Buffer.from(systemRandom.bytes(20)).toString('hex')}`)
  await write(
    door.database.store,
    'test_wallet',
    `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
     values ($1, $2, 'evm', $3, '', '')`,
    [newId(systemRandom, 'wal'), accountId, walletAddress],
  )
  meanwhile = async () => {
    meanwhile = async () => undefined
    await end?.(accountId, keyId)
    door.time.now += limits.keyCacheMilliseconds
  }
  return await door.post(path, text, JSON.stringify({ ...PAYMENTS[path], walletAddress }))
}

for (const path of ['/payment/send', '/payment/fetch'] as const) {
  for (const [how, end] of Object.entries(ENDS)) {
    test(`${path} signs nothing when ${how} while somebody is asked`, async () => {
      assertProblem(await pay(path, end), 'UNAUTHORIZED')
      expect(signed).toBe(0)
    })
  }

  test(`${path} goes on for a key that lives, however long it took`, async () => {
    await pay(path, null)
    expect(signed).toBe(1)
  })
}
