import { describe, expect, test } from 'vitest'
import { parseNetworkId } from '@florin/wire/network.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { Claim } from './claim.ts'
import { duplicateMessage } from './duplicate-message.ts'
import type { ReceivedState } from './records.ts'

const accountId = newId(systemRandom, 'acct')
const paymentId = newId(systemRandom, 'pay')

function networkOf(text: string): NetworkId {
  const network = parseNetworkId(text)
  if (network === undefined) throw new Error(`${text} is no network`)
  return network
}
const EVM = networkOf('eip155:84532')
const SOLANA = networkOf('solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1')

async function said(
  network: NetworkId,
  status: ReceivedState['status'],
  asking = accountId,
): Promise<string | undefined> {
  const tx: Partial<Tx> = {}
  const store: Partial<Store> = { inTransaction: async (_scope, work) => work(tx as Tx) }
  const state: Partial<ReceivedState> = { status }
  const claim: Partial<Claim> = { accountId, paymentId, network, answeredAtMilliseconds: null }
  const records = { state: async () => state as ReceivedState }
  return duplicateMessage({ store: store as Store, records }, claim as Claim, asking)
}

describe('what is said of a claim that is over', () => {
  test.each(['expired', 'failed'] as const)('when it is %s', async (status) => {
    expect(await said(EVM, status)).toMatch(/moved nothing and never will/)
    const message = await said(SOLANA, status)
    expect(message).toMatch(/is over: it did not pay these terms/)
    // A program may have moved another amount there.
    expect(message).not.toMatch(/nothing|another payment/)
  })

  test('is said of none that is open, and to nobody else', async () => {
    for (const network of [EVM, SOLANA]) {
      expect(await said(network, 'pending')).toMatch(/not answered yet/)
      const stranger = newId(systemRandom, 'acct')
      expect(await said(network, 'expired', stranger)).toMatch(/settles for nobody else/)
    }
  })
})
