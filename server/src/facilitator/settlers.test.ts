import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { markWalletDeleted } from '../custody/store.ts'
import type { Wallet } from '../custody/wallet.ts'
import { systemClock as clock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { makeWallet, testNetwork } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { changeSettler } from './change-settler.ts'
import { openSettlers } from './settlers.ts'
import type { Settlers } from './settlers.ts'
import { unsettledNetworks } from './unsettled.ts'

const networks: readonly NetworkConfig[] = [
  { ...testNetwork(84_532), sandbox: false, sandboxInstance: null },
]
const NOWHERE = '0x742d35Cc6634C0532925a3b844Bc454e4438f44e'

let database: TestDatabase
let settlers: Settlers
let told: string[]
beforeEach(async () => {
  told = []
  database = await openTestDatabase()
  settlers = openSettlers({ store: database.store, clock, log: openLog('silent'), networks })
})
afterEach(async () => {
  await settlers.stop()
  await database.close()
})

const change = (address: string, settles: boolean, enabled = networks) =>
  changeSettler(
    {
      ...{ store: database.store, clock, networks: enabled },
      changed: async (_, wallet: Wallet) => void told.push(`${wallet.address} ${settles}`),
    },
    { family: 'evm', address },
    settles,
  )
const settling = async () => {
  await settlers.refresh()
  return [...settlers.addressesOf('evm')]
}

test('a wallet is made one that settles, taken out and made one again, each once', async () => {
  const { address } = await makeWallet(database.store)
  const said: boolean[] = []
  for (const settles of [true, true, false, false, true]) {
    said.push((await change(address, settles)).isChanged)
    expect(await settling()).toEqual(settles ? [address] : [])
  }
  expect(said).toEqual([true, false, true, false, true])
  expect(told).toEqual([`${address} true`, `${address} false`, `${address} true`])
})

test('a network is unsettled until a wallet of its family that can sign there settles, where it has a token', async () => {
  const [first] = networks
  if (first === undefined) throw new Error('no network')
  const native = { ...first, assets: first.assets.filter(({ asset }) => asset === 'native') }
  const unsettled = (some: readonly NetworkConfig[]) => unsettledNetworks(database.store, some)
  expect(await unsettled(networks)).toEqual([first.network])
  expect(await unsettled([native])).toEqual([])
  const { address } = await makeWallet(database.store)
  await change(address, true)
  expect(await unsettled(networks)).toEqual([])
  expect(await unsettled([{ ...first, sandboxInstance: 'another' }])).toEqual([first.network])
  expect(await unsettled([{ ...first, family: 'solana' }])).toEqual([first.network])
  await change(address, false)
  expect(await unsettled(networks)).toEqual([first.network])
})

describe('is refused, and nothing is changed:', () => {
  test('an address of no wallet', async () => {
    await expect(change(NOWHERE, true)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(change(NOWHERE, false)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('a wallet of another sandbox, or of no enabled network', async () => {
    const { address } = await makeWallet(database.store)
    const elsewhere = [{ ...testNetwork(84_532), sandbox: true, sandboxInstance: 'another' }]
    const refused = { code: 'INVALID_PARAMETERS' }
    await expect(change(address, true, elsewhere)).rejects.toMatchObject(refused)
    await expect(change(address, true, [])).rejects.toMatchObject(refused)
    expect(await settling()).toEqual([])
  })

  test('a deleted wallet; but it can be taken out', async () => {
    const { address, id, accountId } = await makeWallet(database.store)
    await change(address, true)
    await database.store.inTransaction(accountId, (tx) =>
      markWalletDeleted(tx, accountId, id, clock.nowMilliseconds()),
    )
    expect((await change(address, false)).isChanged).toBe(true)
    await expect(change(address, true)).rejects.toMatchObject({
      message: expect.stringContaining('deleted'),
    })
    expect(await settling()).toEqual([])
  })
})
