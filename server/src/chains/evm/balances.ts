import type { AssetProfile } from '../../kernel/network-config.ts'
import type { Address } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { balanceView, blockNumberView, readViews } from './multicall.ts'

/** What an address has of each asset, all at one block. */
export async function readBalances(
  transport: Transport,
  address: Address,
  assets: readonly AssetProfile[],
): Promise<{ readonly height: bigint; readonly amounts: readonly bigint[] }> {
  const views = assets.map(({ asset }) => balanceView(address, asset))
  const [height = 0n, ...amounts] = await transport.read(readViews([blockNumberView, ...views]))
  return { height, amounts }
}
