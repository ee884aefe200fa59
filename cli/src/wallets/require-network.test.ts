import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import { expect, test } from 'vitest'
import { CommandFailed } from '../usage-error.ts'
import { runWalletsCreate } from './create.ts'
import { requireNetworkOf } from './require-network.ts'
import { testNetwork } from '@florin/server/chains/evm/test-network.ts'

test('a wallet that no configured network could use is refused with what to set', async () => {
  const database = await openTestDatabase()
  const directory = mkdtempSync(join(tmpdir(), 'florin-wallet-'))
  try {
    const making = runWalletsCreate({
      args: ['--family', 'evm'],
      environment: {
        FLORIN_DATA_DIR: directory,
        DATABASE_URL: database.url.reveal(),
        FLORIN_KEY: '5f0c1be2a94d7e6380b1c2d3e4f5a69788796a5b4c3d2e1f',
      },
      print: () => undefined,
      note: () => undefined,
    })
    await expect(making).rejects.toThrow(
      new CommandFailed(
        "no network is configured here. Set FLORIN_NETWORKS to the service's own file.",
      ),
    )
  } finally {
    rmSync(directory, { recursive: true })
    await database.close()
  }
  const evm = [testNetwork([])]
  expect(() => requireNetworkOf('solana', evm)).toThrow(
    'no solana network is configured, only eip155:84532',
  )
  expect(() => requireNetworkOf('evm', evm)).not.toThrow()
})
