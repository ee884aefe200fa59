import { parseNetworkId } from '@florin/wire/network.ts'
import { expect, test } from 'vitest'
import type { BatchSettlement } from '../chains/batch.ts'
import type { Address } from '../chains/chain.ts'
import type { ExactPayments } from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { supported } from './supported.ts'

test('the keys that can pay are named for upto in turn: none of them settles for everybody', () => {
  const config = { ...testNetwork(84_532), permit2: ['exact', 'upto'] as const }
  const chain = scriptedChain(config, { exact: {} as Partial<ExactPayments> as ExactPayments })
  const keys = ['first', 'low', 'third'].map((address) => ({ address: address as Address }))
  const named = [0, 1, 2, 3].map((turn) => {
    const { kinds } = supported({
      chains: [chain],
      settlers: { of: () => keys as Partial<Wallet>[] as Wallet[] },
      isLow: (_, address) => address === 'low',
      isUsable: () => true,
      sponsored: new Set(),
      turn,
    })
    return kinds.find(({ scheme }) => scheme === 'upto')
  })
  expect(named).toMatchObject(
    ['first', 'third', 'first', 'third'].map((facilitatorAddress) => ({
      extra: { facilitatorAddress },
    })),
  )
})

test('smart wallets on Solana are named as supported only where their payments are taken', () => {
  const networkId = parseNetworkId('solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1')
  if (networkId === undefined) throw new Error('devnet has no proper id')
  const config = { ...testNetwork(84_532), network: networkId, family: 'solana' as const }
  const extrasWith = (areTaken?: boolean) => {
    const exact: Partial<ExactPayments> =
      areTaken === undefined
        ? {}
        : { smartWallets: { areTaken: () => areTaken, whatIsMissing: async () => undefined } }
    // What the operator lets is not enough: a node has to tell what they did.
    const programs = { smartWalletPrograms: ['program'] }
    const chain = scriptedChain({ ...config, ...programs }, { exact: exact as ExactPayments })
    const keys = [{ address: 'key' as Address }] as Partial<Wallet>[] as Wallet[]
    const { kinds } = supported({
      chains: [chain],
      settlers: { of: () => keys },
      isLow: () => false,
      isUsable: () => true,
      sponsored: new Set(),
      turn: 0,
    })
    return kinds.flatMap(({ scheme, extra }) => (scheme === 'exact' ? [extra] : []))
  }
  const plain = { feePayer: 'key' }
  expect(extrasWith()).toEqual([plain, plain])
  expect(extrasWith(false)).toEqual([plain, plain])
  const said = { ...plain, features: { smartWalletSupported: true } }
  expect(extrasWith(true)).toEqual([said, said])
})

test('approvals are announced only where they are sponsored now, and can be settled', () => {
  const chain = scriptedChain(
    { ...testNetwork(84_532), permit2: ['exact'] },
    { exact: {} as Partial<ExactPayments> as ExactPayments },
  )
  const { network } = chain.config
  const announcedWith = (isSponsored: boolean, isUsable = true) =>
    supported({
      chains: [chain],
      settlers: { of: () => [{ address: 'key' as Address }] as Partial<Wallet>[] as Wallet[] },
      isLow: () => false,
      isUsable: () => isUsable,
      sponsored: new Set(isSponsored ? [network] : []),
      turn: 0,
    }).extensions.includes('erc20ApprovalGasSponsoring')
  expect(announcedWith(true)).toBe(true)
  expect(announcedWith(false)).toBe(false)
  expect(announcedWith(true, false)).toBe(false)
})

test('batch-settlement is named only where the network was seen to have its escrow, and nobody is asked', () => {
  const isNamedWith = (isTaken?: boolean) => {
    const batch: Partial<BatchSettlement> = { isTaken: () => isTaken === true }
    const chain = scriptedChain(testNetwork(84_532), {
      exact: {} as Partial<ExactPayments> as ExactPayments,
      ...(isTaken === undefined ? {} : { batch: batch as BatchSettlement }),
    })
    const { kinds } = supported({
      chains: [chain],
      settlers: { of: () => [{ address: 'key' as Address }] as Partial<Wallet>[] as Wallet[] },
      isLow: () => false,
      isUsable: () => true,
      sponsored: new Set(),
      turn: 0,
    })
    return kinds.some(({ scheme }) => scheme === 'batch-settlement')
  }
  expect(isNamedWith()).toBe(false)
  expect(isNamedWith(false)).toBe(false)
  expect(isNamedWith(true)).toBe(true)
})
