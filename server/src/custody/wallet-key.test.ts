import { describe, expect, test } from 'vitest'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { localKeyWrapper } from './key-wrapper.ts'
import { SealBroken } from './seal.ts'
import { openWalletKey, sealWalletKey } from './wallet-key.ts'
import type { KeyOwner } from './wallet-key.ts'

const random = systemRandom
const keyEncryptionKey = new SecretBytes(random.bytes(32))
const wrapper = localKeyWrapper({ keyEncryptionKey, random })

const anOwner = (): KeyOwner => ({
  walletId: newId(random, 'wal'),
  accountId: newId(random, 'acct'),
  family: 'evm',
  address: '0x000000000000000000000000000000000000dEaD',
  sandboxInstance: 'a sandbox',
})

describe("a wallet's sealed key", () => {
  test('opens for its owner', async () => {
    const owner = anOwner()
    const key = random.bytes(32)
    const sealed = await sealWalletKey({ wrapper, random }, owner, new SecretBytes(key))
    const opened = await openWalletKey({ wrapper }, owner, sealed)
    expect(Buffer.from(opened.reveal())).toEqual(Buffer.from(key))
  })

  test('does not open when any one fact of its owner differs', async () => {
    const owner = anOwner()
    const sealed = await sealWalletKey({ wrapper, random }, owner, aKey())
    const others: readonly Partial<KeyOwner>[] = [
      { walletId: newId(random, 'wal') },
      { accountId: newId(random, 'acct') },
      { family: 'solana' },
      { address: '0x000000000000000000000000000000000000bEEF' },
      { sandboxInstance: 'another sandbox' },
      { sandboxInstance: '' },
      { sandboxInstance: null },
    ]
    for (const other of others) {
      const opening = openWalletKey({ wrapper }, { ...owner, ...other }, sealed)
      await expect(opening, JSON.stringify(other)).rejects.toThrow(SealBroken)
    }
  })

  test('cannot be swapped between wallets, whole or by halves', async () => {
    const [mine, theirs] = [anOwner(), anOwner()]
    const [my, their] = [
      await sealWalletKey({ wrapper, random }, mine, aKey()),
      await sealWalletKey({ wrapper, random }, theirs, aKey()),
    ]
    const swaps = [
      their,
      { ...my, sealedPrivateKey: their.sealedPrivateKey },
      { ...my, sealedDataKey: their.sealedDataKey },
      { sealedDataKey: my.sealedPrivateKey, sealedPrivateKey: my.sealedDataKey },
    ]
    for (const swapped of swaps) {
      await expect(openWalletKey({ wrapper }, mine, swapped)).rejects.toThrow(SealBroken)
    }
  })

  test('is useless under another key-encryption key', async () => {
    const owner = anOwner()
    const sealed = await sealWalletKey({ wrapper, random }, owner, aKey())
    const stranger = localKeyWrapper({ keyEncryptionKey: aKey(), random })
    await expect(openWalletKey({ wrapper: stranger }, owner, sealed)).rejects.toThrow(SealBroken)
  })

  test('has its data key erased from memory, sealing and opening', async () => {
    const owner = anOwner()
    const seen: SecretBytes[] = []
    const watched = {
      wrap: (dataKey: SecretBytes, additionalData: Uint8Array) => {
        seen.push(dataKey)
        return wrapper.wrap(dataKey, additionalData)
      },
      unwrap: async (wrapped: Uint8Array, additionalData: Uint8Array) => {
        const dataKey = await wrapper.unwrap(wrapped, additionalData)
        seen.push(dataKey)
        return dataKey
      },
    }
    const sealed = await sealWalletKey({ wrapper: watched, random }, owner, aKey())
    await openWalletKey({ wrapper: watched }, owner, sealed)
    const changed = { ...sealed, sealedPrivateKey: sealed.sealedPrivateKey.slice().fill(1, 20) }
    await expect(openWalletKey({ wrapper: watched }, owner, changed)).rejects.toThrow(SealBroken)
    expect(seen).toHaveLength(3)
    for (const key of seen) expect([...key.reveal()]).toEqual(new Array(32).fill(0))
  })
})

function aKey(): SecretBytes {
  return new SecretBytes(random.bytes(32))
}
