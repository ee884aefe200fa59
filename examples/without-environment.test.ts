import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test.each([
  ['buyer.ts', 'SHOP_URL'],
  ['self-custody-evm.ts', 'PAYER_KEY'],
  ['self-custody-solana.ts', 'PAYER_KEYFILE'],
  ['settle-own-evm.ts', 'SELLER_KEY'],
  ['settle-own-solana.ts', 'SELLER_KEYFILE'],
])('%s without its environment says that it wants %s', (name, variable) => {
  const example = fileURLToPath(new URL(name, import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [example], { env: {}, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toMatch(new RegExp(`^Error: ${variable} is .+$`, 'm'))
})
