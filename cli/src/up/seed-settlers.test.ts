import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pageOfAccounts } from '@florin/server/access/operator-store.ts'
import { evmKeys } from '@florin/server/custody/evm-keys.ts'
import { localKeyWrapper } from '@florin/server/custody/key-wrapper.ts'
import { solanaKeys } from '@florin/server/custody/solana-keys.ts'
import { openSettlers } from '@florin/server/facilitator/settlers.ts'
import { systemClock as clock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom as random } from '@florin/server/kernel/random.ts'
import { SecretBytes } from '@florin/server/kernel/secret.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { sandboxNetworks } from './sandbox-network.ts'
import { seedSettlers } from './seed-settlers.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const evm = { network: 'eip155:84532', rpcUrl: 'http://127.0.0.1:1', usdc: '0x1' }
const solana = {
  ...{ network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', rpcUrl: 'http://127.0.0.1:1' },
  ...{ wsUrl: 'ws://127.0.0.1:1', usdc: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU' },
}
const instance = 'sandbox-of-this-test'
const ready = { instance, evm, solana, faucetUrl: 'http://127.0.0.1:1', adminUrl: null }

test('the accounts whose keys pay for settlements are told apart by their names, and made once', async () => {
  const { store } = database
  const networks = sandboxNetworks(ready)
  const settlers = openSettlers({ store, clock, log: openLog('silent'), networks })
  const custody = {
    wrapper: localKeyWrapper({ keyEncryptionKey: new SecretBytes(randomBytes(32)), random }),
    schemes: [evmKeys({ random }), solanaKeys({ random })],
    ...{ networks, random, clock },
  }
  const seed = () => seedSettlers({ store, custody, settlers }, { clock, random }, ready)
  const seeded = await seed()
  expect(seeded.map(({ family }) => family)).toEqual(['evm', 'evm', 'solana', 'solana'])
  expect(await seed()).toEqual(seeded)
  await settlers.stop()
  const accounts = await store.inTransaction('service', (tx) =>
    pageOfAccounts(tx, undefined, { after: undefined, count: 10 }),
  )
  expect(accounts.map(({ name }) => name).toSorted()).toEqual([
    'x402 facilitator (EVM)',
    'x402 facilitator (Solana)',
  ])
})
