import { expect, test } from 'vitest'
import { openLog } from '@florin/server/kernel/log.ts'
import { testNetwork } from '@florin/server/payments/test-lane.ts'
import { sayCurrencyTokens } from './say-currency-tokens.ts'

test('whoever lists a token that is the currency of its network hears where to read what that does', () => {
  const lines: string[] = []
  const log = openLog('warn', { write: (line: string) => void lines.push(line) })
  const asset = '0x3600000000000000000000000000000000000000'
  const arc = { ...testNetwork(5_042) }
  const usdc = { symbol: 'USDC', decimals: 6, takesCommitment: true, asset }
  sayCurrencyTokens(log, [testNetwork(8_453), { ...arc, assets: [...arc.assets, usdc] }])
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { network: 'eip155:5042', asset, msg: expect.stringContaining('networks.md') },
  ])
})
