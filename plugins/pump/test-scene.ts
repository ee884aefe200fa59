import { onTestFinished } from 'vitest'
import { openLog } from '../../server/src/kernel/log.ts'
import { systemClock } from '../../server/src/kernel/clock.ts'
import type { Address, Chain } from '../../server/src/chains/chain.ts'
import type { TradeSide, Venue } from '../../server/src/chains/venue.ts'
import { startTestNode } from '../../server/src/chains/json-rpc/test-node.ts'
import { connectSolana } from '../../server/src/chains/solana/connect.ts'
import { TOKEN_PROGRAM } from '../../server/src/chains/solana/programs.ts'
import { testNetwork } from '../../server/src/chains/solana/test-network.ts'
import { ALICE, MINT, WORLD, account, nodeWith } from '../../server/src/chains/solana/test-scene.ts'
import type { Accounts } from '../../server/src/chains/solana/test-scene.ts'
import { scriptedVenue } from '../../server/src/trading/test-venue.ts'
import { script } from '../../server/src/chains/solana/test-script.ts'
import type { Lines } from '../../server/src/chains/solana/test-script.ts'
import { venue as module } from './venue.ts'
import { SETTINGS, curveOf, pump } from './test-vectors.ts'
import type { Account, VenueModule } from './venue-api.ts'

/** Alice's account in which the program counts what she trades, and its rent. */
export const [VOLUME] = pump.opens(ALICE)
export const VOLUME_RENT = 1_844_400n
export const LAMPORTS = 10_000_000_000n
export const HELD = 5_000_000n
export const token = { mint: MINT, decimals: 6, symbol: 'COIN' }
export const COMMITMENT = new Uint8Array(32).fill(0xc5)
/** What the network takes with the fees of the test network: 5,000, and 400,000 units at a thousandth of a lamport. */
export const FEE = 5_400n

const [curveAt, globalAt, feesAt] = pump.accounts({ address: MINT, program: TOKEN_PROGRAM })
export const CURVE: Address = curveAt ?? ALICE

const shown = ({ owner, data }: Account) => account({ owner, data })

/** The recorded settings, and a recorded curve for the test's own coin; Alice has traded here before, unless `isNew`. */
export function worldOf(curve: Account = curveOf(2), isNew = false): Accounts {
  const [global, fees] = SETTINGS
  if (global === undefined || fees === undefined) throw new Error('no settings')
  return {
    ...WORLD,
    [CURVE]: shown(curve),
    [String(globalAt)]: shown(global),
    [String(feesAt)]: shown(fees),
    ...(isNew
      ? {}
      : {
          [String(VOLUME?.address)]: account({
            ...{ lamports: VOLUME_RENT, owner: module.program, data: new Uint8Array(137) },
          }),
        }),
  }
}

/** Where no module is. */
const NOBODY = {
  rate: null,
  balances: () => ({ native: 0n, asset: 0n, height: 0n, blockHash: null }),
}

/** The venue as its configuration makes it, over a scripted node. */
export async function openPump(
  accounts: Accounts = worldOf(),
  lines: Lines = {},
  modules: readonly VenueModule[] = [module],
): Promise<{ chain: Chain; venue: Venue }> {
  const node = await startTestNode(script(nodeWith(accounts, lines)))
  onTestFinished(node.stop)
  const chain = connectSolana({
    config: testNetwork([node.url], {
      markets: modules.map(({ name }) => ({ venue: 'module', name })),
    }),
    log: openLog('silent'),
    clock: systemClock,
    modules,
  })
  const [venue = scriptedVenue(NOBODY)] = chain.venues ?? []
  return { chain, venue }
}

/** A quote that was given. */
export async function quoteOf(venue: Venue, side: TradeSide, amountIn: bigint) {
  const outcome = await venue.quote({ side, token, amountIn })
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`)
  return outcome.quote
}
