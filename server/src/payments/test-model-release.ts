import { baseUnits } from '@florin/wire/amount.ts'
import type { Chain, Terms } from '../chains/chain.ts'
import { draftAt } from './test-lane.ts'
import type { openTestLane } from './test-lane.ts'
import type { openModelChain } from './test-model-chain.ts'

/** Of each transaction that the model is given here. */
export const CEILING = 10n
/** Its bytes are the model's. */
export const SIGNER = { sign: async () => new Uint8Array(), erase: () => undefined }
export const MINING = { deposits: [], take: 9, feePercent: 100, reverts: false }

/** The chain of a lane as a release asks it: it says what the model shows, and drafts transactions of nothing. */
export function openModelRelease(
  { chain: laneChain, wallet }: Awaited<ReturnType<typeof openTestLane>>,
  model: ReturnType<typeof openModelChain>,
) {
  const hashes = new Map<string, Awaited<ReturnType<Chain['sign']>>['hash']>()
  const chain: Chain = {
    ...laneChain,
    parseAddress: () => wallet.address,
    balances: async (_, assets) => ({
      height: model.tip().height,
      amounts: assets.map(({ asset }) => model.tip().balances.get(asset) ?? 0n),
    }),
    lanePosition: async () => {
      const { nonce, height } = model.tip()
      return { latest: nonce, finalized: nonce, finalizedHeight: height }
    },
    draft: async ({ recipient }) => {
      const drafted = draftAt(model.tip(), { asset: 'native', feeCeiling: CEILING, paymentId: '' })
      const terms = { to: recipient, value: '0', data: '0x' }
      const draft = { ...drafted, terms: JSON.parse(JSON.stringify(terms)) as Terms }
      return { ok: true, draft: { ...draft, feeCeiling: baseUnits(CEILING) } }
    },
    sign: async (...given) => {
      const signed = await laneChain.sign(...given)
      hashes.set(Buffer.from(signed.raw).toString(), signed.hash)
      return signed
    },
  }
  return {
    chain,
    /** What bytes of nothing are to the model. Fails for those that were not signed here before. */
    nothingIn: (raw: Uint8Array) => {
      const text = Buffer.from(raw).toString()
      const { nonce, terms } = JSON.parse(text) as { nonce: string; terms: Terms }
      const hash = hashes.get(text)
      if (hash === undefined) throw new Error('it was not signed before')
      const transfer = { asset: 'native', from: wallet.address, to: wallet.address, amount: 0n }
      const fees = { asset: 'native', amount: 0n, feeCeiling: CEILING }
      return { terms, transaction: { hash, nonce: BigInt(nonce), ...fees, transfer } }
    },
  }
}
