import { sandboxNetwork } from '@florin/cli/up/sandbox-network.ts'
import { connectEvm } from '@florin/server/chains/evm/connect.ts'
import { evmKeys } from '@florin/server/custody/evm-keys.ts'
import { openKeyEncryptionKey } from '@florin/server/custody/key-encryption-key.ts'
import { keyFromText } from '@florin/server/custody/key-file.ts'
import { localKeyWrapper } from '@florin/server/custody/key-wrapper.ts'
import { openSigner } from '@florin/server/custody/signer.ts'
import { findWalletOfAddress } from '@florin/server/custody/store.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { baseUnits } from '@florin/wire/amount.ts'
import { CANARY_KEY_TEXT } from './service.ts'
import type { World } from './world.ts'

/** Signs with a custodial wallet's key behind the service's back, and sends it to the node. Gives the hash. */
export async function useKeyElsewhere(
  world: World,
  { address, nonce, priorityFee }: { address: string; nonce: bigint; priorityFee?: string },
): Promise<string> {
  const { instance, network, rpcUrl, usdc, faucetUrl } = world.sandbox
  const config = sandboxNetwork({
    instance,
    evm: { network, rpcUrl, usdc },
    faucetUrl,
    adminUrl: null,
  })
  const chain = connectEvm({ config, log: openLog('silent'), clock: systemClock })
  const random = systemRandom
  const { store } = world.database
  const keyEncryptionKey = await openKeyEncryptionKey({
    store,
    text: keyFromText(CANARY_KEY_TEXT),
    random,
  })
  const wallet = await store.inTransaction('service', (tx) =>
    findWalletOfAddress(tx, 'evm', address),
  )
  const recipient = chain.parseAddress(world.newAddress())
  const native = config.assets[0]
  if (wallet === undefined || recipient === undefined || native === undefined)
    throw new Error('no such wallet')
  const drafted = await chain.draft({
    sender: wallet.address,
    recipient,
    asset: native,
    amount: baseUnits(1n),
    commitment: new Uint8Array(32),
    ...(priorityFee === undefined ? {} : { priorityFee: baseUnits(priorityFee) }),
  })
  if (!drafted.ok) throw new Error(drafted.refusal)
  const signer = await openSigner(
    { wrapper: localKeyWrapper({ keyEncryptionKey, random }), schemes: [evmKeys({ random })] },
    wallet,
    config,
  )
  const signed = await chain.sign(drafted.draft.terms, nonce, signer)
  const [verdict] = await chain.broadcast([signed.raw])
  if (verdict?.kind !== 'accepted') throw new Error(`the node said ${verdict?.kind}`)
  return signed.hash
}
