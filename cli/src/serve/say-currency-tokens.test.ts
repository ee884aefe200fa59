import { expect, test } from 'vitest'
import { openLog } from '@florin/server/kernel/log.ts'
import { testNetwork } from '@florin/server/payments/test-lane.ts'
import { sayCurrencyTokens } from './say-currency-tokens.ts'

test('whoever lists a token that is the currency of its network and moves nothing hears what to list instead', () => {
  const lines: string[] = []
  const log = openLog('warn', { write: (line: string) => void lines.push(line) })
  const asset = '0x0000000000000000000000000000000000001010'
  const polygon = testNetwork(137)
  const pol = { symbol: 'POL', decimals: 18, takesCommitment: true, asset }
  sayCurrencyTokens(log, [testNetwork(8_453), { ...polygon, assets: [...polygon.assets, pol] }])
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { network: 'eip155:137', asset, msg: expect.stringContaining('networks.md') },
  ])
})
