import type { Chain } from '@florin/server/chains/chain.ts'
import type { SandboxFile } from '../sandbox-file.ts'
import { asFields } from '../small-json.ts'

const CALL_SECONDS = 30

/** What a wallet is filled up with, in whole units, once it holds less than `low`: enough for many payments of 100. */
const GIFTS = {
  native: { amount: '1000', low: 200n },
  USDC: { amount: '100000', low: 10_000n },
} as const

/** Fills up wallets that hold little, through the same faucet that everybody may use. */
export async function fundWallets(
  {
    faucetUrl,
    chains,
    onlyNative = false,
  }: { faucetUrl: string; chains: readonly Chain[]; onlyNative?: boolean },
  wallets: SandboxFile['wallets'],
): Promise<void> {
  await Promise.all(
    wallets.map(async ({ address: text, network }) => {
      const chain = chains.find(({ config }) => config.network === network)
      const address = chain?.parseAddress(text)
      if (chain === undefined || address === undefined) {
        throw new Error(`${text} is not a wallet of the sandbox`)
      }
      const assets = chain.config.assets.filter(({ asset }) => !onlyNative || asset === 'native')
      const { amounts } = await chain.balances(address, assets)
      for (const [index, { asset, symbol, decimals }] of assets.entries()) {
        const kind = asset === 'native' ? 'native' : symbol
        if (kind !== 'native' && kind !== 'USDC') continue
        const { amount, low } = GIFTS[kind]
        if ((amounts[index] ?? 0n) >= low * 10n ** BigInt(decimals)) continue
        await give(faucetUrl, { address, network, asset: kind, amount })
      }
    }),
  )
}

async function give(
  faucetUrl: string,
  gift: { address: string; network: string; asset: string; amount: string },
): Promise<void> {
  const response = await fetch(faucetUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(gift),
    signal: AbortSignal.timeout(CALL_SECONDS * 1000),
  })
  if (asFields(await response.json())?.get('success') !== true) {
    throw new Error(`the faucet did not fund ${gift.address}`)
  }
}
