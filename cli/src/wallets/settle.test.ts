import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '@florin/server/access/create-account.ts'
import { listAudit } from '@florin/server/audit/store.ts'
import { SYSTEM } from '@florin/server/audit/entry.ts'
import type { AccountId } from '@florin/server/kernel/id.ts'
import { systemClock as clock } from '@florin/server/kernel/clock.ts'
import { systemRandom as random } from '@florin/server/kernel/random.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandFailed, UsageError } from '../usage-error.ts'
import { runWalletsCreate } from './create.ts'
import { runWalletsSettle } from './settle.ts'

const NOWHERE = '0x742d35Cc6634C0532925a3b844Bc454e4438f44e'
const NETWORKS = {
  networks: [
    {
      network: 'eip155:11155111',
      name: 'A test network',
      rpcUrls: ['http://127.0.0.1:9/'],
      assets: [{ symbol: 'ETH', asset: 'native', decimals: 18, takesCommitment: true }],
      releaseDepth: 0,
      finality: { kind: 'tag' },
      blockTimeMilliseconds: 1_000,
      fees: {
        ...{ feePerGasMax: '500000000000', tipPerGasDefault: '1000000' },
        ...{ ceilingMultiple: '2', bumpAfterBlocks: 3 },
      },
    },
  ],
}

let database: TestDatabase
let accountId: AccountId
const directory = mkdtempSync(join(tmpdir(), 'florin-settle-'))
beforeAll(async () => {
  database = await openTestDatabase()
  accountId = (await createAccount({ store: database.store, clock, random }, 'gas')).accountId
  writeFileSync(join(directory, 'networks.json'), JSON.stringify(NETWORKS))
  const key = Buffer.from(random.bytes(32)).toString('hex')
  writeFileSync(join(directory, 'master.key'), key, { mode: 0o600 })
})
afterAll(async () => {
  rmSync(directory, { recursive: true })
  await database.close()
})

async function run(command: typeof runWalletsSettle, ...args: readonly string[]) {
  const [printed, notes]: [string[], string[]] = [[], []]
  const code = await command({
    args,
    environment: {
      FLORIN_DATA_DIR: directory,
      DATABASE_URL: database.url.reveal(),
      FLORIN_NETWORKS: join(directory, 'networks.json'),
      FLORIN_KEY_FILE: join(directory, 'master.key'),
    },
    print: (text) => void printed.push(text),
    note: (text) => void notes.push(text),
  })
  return { code, printed: printed.join(''), notes: notes.join('') }
}

test('florin wallets settle appoints and retires a wallet, says whether that was new, and notes it in its account', async () => {
  const made = await run(runWalletsCreate, '--family', 'evm', '--account', accountId)
  const address = made.printed.trim()
  const first = await run(runWalletsSettle, address.toLowerCase())
  expect(first).toMatchObject({ code: 0, printed: `${address}\n` })
  expect(first.notes).toContain('Settles from now on')
  expect(first.notes).toContain(accountId)
  expect((await run(runWalletsSettle, address)).notes).toContain('It settles already.')
  const { printed } = await run(runWalletsSettle, address, '--retire', '--json')
  expect(JSON.parse(printed)).toMatchObject({ address, accountId, settles: false, isChanged: true })
  const entries = await database.store.inTransaction(accountId, (tx) =>
    listAudit(tx, accountId, { before: undefined, count: 10 }),
  )
  expect(entries.map(({ actor, action }) => [actor, action]).toReversed()).toEqual([
    [SYSTEM, 'wallet.created'],
    [SYSTEM, 'wallet.appointed'],
    [SYSTEM, 'wallet.retired'],
  ])
})

test('an address of no wallet is told with where to look, and what is none is a wrong call', async () => {
  await expect(run(runWalletsSettle, NOWHERE)).rejects.toThrow(CommandFailed)
  await expect(run(runWalletsSettle, NOWHERE)).rejects.toThrow('wallets list --deleted')
  await expect(run(runWalletsSettle, 'nobody')).rejects.toThrow(UsageError)
})
