import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { Chain } from '../chain.ts'
import { noSandbox } from '../json-rpc/no-sandbox.ts'
import { openNodes } from '../json-rpc/open-nodes.ts'
import { openNodeSay } from '../json-rpc/node-say.ts'
import { readSandboxInstance } from '../json-rpc/sandbox.ts'
import type { ConnectOptions } from '../connect-options.ts'
import { addressBytes, knownAddress, parseAddress } from './account.ts'
import { anyVersion } from './any-version.ts'
import { readArrivals } from './arrivals.ts'
import { readBalances } from './balances.ts'
import { readBlocks, readHead } from './blocks.ts'
import { broadcastTo } from './broadcast.ts'
import { onlyChain } from '../json-rpc/only-chain.ts'
import { identityOf } from './chain-id.ts'
import { deadFrom } from './dead-from.ts'
import { draftTransfer } from './draft.ts'
import { estimateFees } from './estimate-fees.ts'
import { openExact } from './exact.ts'
import { openFacts } from './facts.ts'
import { finalHeights, lookBack } from './look-back.ts'
import { readOutcomes } from './outcome.ts'
import { arePaymentTerms, madeAfter, readPaymentTerms, signPayment } from './payment-terms.ts'
import { renewTerms } from './renew.ts'
import { openSeenSlot } from './seen-slot.ts'
import { openSelfCustody } from './self-custody.ts'
import { signTerms } from './sign.ts'
import { openSlotPace } from './slot-pace.ts'
import { openSmartWalletNode } from './smart-wallet-node.ts'
import { readTerms } from './terms.ts'
import { HEIGHT, onlyUpToDate } from './up-to-date.ts'
import { openModules } from './markets/open-module.ts'
import { readMarket } from './markets/read-market.ts'
import { openTokenReader } from './markets/token-facts.ts'
import { makersOf, openVenues } from './markets/venues.ts'

/**
 * Connects to a Solana network. Heights are slots, lifetimes are block heights. Nothing is asked before the first use. Throws when
 * the configuration is not of this family.
 */
export function connectSolana(options: ConnectOptions): Chain {
  const { config, log, clock } = options
  requireSolana(config)
  const identity = identityOf(config)
  for (const { asset } of config.assets) if (asset !== 'native') knownAddress(asset)
  const seen = openSeenSlot(clock, config.blockTimeMilliseconds)
  const pace = openSlotPace(clock, config.blockTimeMilliseconds, (milliseconds) => {
    const facts = { network: config.network, milliseconds: Math.round(milliseconds) }
    log.warn(facts, 'slots come much quicker than blockTimeMilliseconds of the networks file says')
  })
  const nodeNames = config.rpcUrls.map((_, index) => `node ${index + 1} of ${config.network}`)
  const say = openNodeSay(options)
  const asked = { ...options, onCall: say.onCall }
  const { transport, nodes } = openNodes(asked, {
    guard: (endpoint) => {
      // A sandbox announces a public cluster's id, because clients know no other, over a chain of its own.
      const checked = config.sandbox ? endpoint : onlyChain(identity, noSandbox(endpoint))
      return onlyUpToDate(seen.now, anyVersion(checked))
    },
    height: HEIGHT,
    onHeights: say.onHeights,
  })
  const facts = openFacts({ transport, clock, slotMilliseconds: pace.milliseconds })
  const deps = { transport, config, facts }
  const makers = makersOf(config)
  const modules = openModules(config, options.modules, log)
  const walletNode = openSmartWalletNode({ ...deps, clock, log })
  const exact = openExact({ ...deps, clock, walletNode, seenSlot: seen.now })
  log.debug({ network: config.network, nodes: config.rpcUrls.length }, 'connected')

  return {
    config,
    parseAddress,
    addressBytes,
    draft: (order) => draftTransfer(deps, order),
    sign: async (terms, _nonce, signer) =>
      arePaymentTerms(terms)
        ? signPayment(readPaymentTerms(terms, config.network), signer)
        : signTerms(readTerms(terms, config.network), signer),
    exact,
    selfCustody: openSelfCustody({ ...deps, exact, modules }),
    venues: openVenues(deps, options, modules),
    ...(makers.size === 0
      ? {}
      : { market: { read: (blocks) => readMarket({ transport, makers }, blocks) } }),
    tokens: openTokenReader(deps),
    renewal: {
      kind: 'lifetime',
      lifetimeOf: (terms) =>
        arePaymentTerms(terms)
          ? readPaymentTerms(terms, config.network).lastValidBlockHeight
          : readTerms(terms, config.network).lastValidBlockHeight,
      madeAfter: (terms) =>
        arePaymentTerms(terms) ? madeAfter(readPaymentTerms(terms, config.network)) : undefined,
      isRenewable: (terms) => !arePaymentTerms(terms),
      lookBack: (hashes, among) => lookBack(transport, nodeNames, hashes, { say, among }),
      deadFrom: (doomed) => deadFrom(transport, doomed, say),
      finalHeights: () => finalHeights(transport, say),
    },
    renew: (terms, feeCeiling) => renewTerms(deps, terms, feeCeiling),
    broadcast: (raws) => broadcastTo(transport, raws),
    head: async () => {
      const head = await readHead(transport, config.finality)
      seen.noteNewest(head.height)
      pace.note(seen.now())
      if (exact.smartWallets !== undefined) walletNode.lookBeside()
      return head
    },
    blocks: async (fromSlot, count) => {
      const blocks = await readBlocks(transport, fromSlot, count)
      const last = blocks.at(-1)
      if (last !== undefined) seen.noteBlock(last.height)
      return blocks
    },
    arrivals: (blocks, ours, unread) => readArrivals(deps, blocks, ours, unread),
    outcomes: async (hashes, followed) => {
      const outcomes = await readOutcomes(transport, hashes, modules, followed)
      if (outcomes.some(({ state }) => state === 'untold')) walletNode.forget()
      return outcomes
    },
    // Any transaction of any age may come next: there is no place that could be used up.
    lanePosition: async () => ({ latest: 0n, finalized: 0n, finalizedHeight: 0n }),
    balances: (address, assets) => readBalances(transport, facts, address, assets),
    estimateFees: () => estimateFees(deps),
    nodes: () => say.shown(nodes()),
    sandboxInstance: () => readSandboxInstance(transport),
  }
}

function requireSolana({ network }: NetworkConfig): void {
  if (!network.startsWith('solana:')) throw new Error(`${network} is not a Solana network`)
}
