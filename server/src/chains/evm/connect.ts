import { limits } from '../../kernel/limits.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { Address, Chain } from '../chain.ts'
import type { ConnectOptions } from '../connect-options.ts'
import { addressBytes, parseAddress } from './account.ts'
import { readArrivals } from './arrivals.ts'
import { readBalances } from './balances.ts'
import { openBlockSpan } from './block-span.ts'
import { readBlocks, readHead, readLanePosition, readPooled } from './blocks.ts'
import { broadcastTo } from './broadcast.ts'
import { renewTerms } from './renew.ts'
import { onlyChain } from '../json-rpc/only-chain.ts'
import { identityOf } from './chain-id.ts'
import { openBatchSettlement } from './batch/open-batch.ts'
import { draftTransfer } from './draft.ts'
import { estimateFees } from './estimate-fees.ts'
import { openKeptBlocks } from './kept-blocks.ts'
import { holdsEveryLog } from './logs-bloom.ts'
import { openRangeLogs } from './range-logs.ts'
import { openExact } from './exact.ts'
import { noSandbox } from '../json-rpc/no-sandbox.ts'
import { openNodes } from '../json-rpc/open-nodes.ts'
import { openFacts } from './facts.ts'
import { readOutcomes } from './outcome.ts'
import { readSandboxInstance } from '../json-rpc/sandbox.ts'
import { openMarketReader } from './markets/market-reader.ts'
import { openNewestHeight } from './markets/newest-height.ts'
import { openVenues } from './markets/open-venues.ts'
import { openExplain } from './markets/router-calls.ts'
import { openTokenReader } from './markets/token-reader.ts'
import { engine } from './secp256k1.ts'
import { openSelfCustody } from './self-custody.ts'
import { signTerms } from './sign.ts'
import { keptTerms, wholeTerms } from './kept-terms.ts'
import { readTerms } from './terms.ts'
import { HEIGHT, onlyUpToDate } from './up-to-date.ts'

/** Connects to an EVM network. Nothing is asked before the first use. Throws when the configuration is not of this family. */
export function connectEvm(options: ConnectOptions): Chain {
  const { config, log, clock } = options
  const chainId = chainIdOf(config)
  for (const { asset } of config.assets) if (asset !== 'native') requireCanonical(asset)
  /** The highest block that any of the nodes has called final; final never goes back. */
  let finalHeight = 0n
  const noteFinal = (height: bigint): void => {
    if (height > finalHeight) finalHeight = height
  }
  const span = openBlockSpan()
  // Of slower chains one head is looked at many times, and their blocks are long.
  const isQuick = !config.sandbox && config.blockTimeMilliseconds < limits.followGatherMilliseconds
  const wholes = openKeptBlocks()
  const kept = isQuick ? wholes : undefined
  const identity = identityOf({ network: config.network })
  const { transport, nodes } = openNodes(options, {
    guard: (endpoint) => {
      const real = config.sandbox ? endpoint : noSandbox(endpoint)
      return onlyUpToDate(() => finalHeight, onlyChain(identity, real))
    },
    height: HEIGHT,
  })
  const deps = { transport, config, chainId }
  const isFiltered = holdsEveryLog(config)
  const shared = { wholes, ranges: openRangeLogs(transport, clock), isFiltered }
  const exact = openExact({ ...deps, clock })
  const tokens = new Set(config.assets.flatMap(({ asset }) => (asset === 'native' ? [] : [asset])))
  const facts = openFacts({ transport, clock })
  const newest = openNewestHeight()
  const batch =
    config.batchSettlement === true ? openBatchSettlement({ ...deps, clock, log }) : undefined
  const explain = openExplain(config.markets ?? [])
  const markets = { ...deps, facts, tokens, explain, clock, newest }
  log.debug(
    { network: config.network, nodes: config.rpcUrls.length, secp256k1: engine },
    'connected',
  )

  return {
    config,
    parseAddress,
    addressBytes,
    draft: (order) => draftTransfer(deps, order),
    sign: async (terms, nonce, signer) => {
      const read = readTerms(terms, chainId)
      return { ...(await signTerms(read, nonce, signer)), kept: keptTerms(read) }
    },
    renewal: { kind: 'fee' },
    renew: async (terms, feeCeiling, raw) =>
      renewTerms(deps, wholeTerms(terms, raw, chainId), feeCeiling),
    broadcast: (raws) => broadcastTo(transport, raws),
    head: async (known) => {
      // The first one waits, so that whoever asks once the network is followed hears what it has.
      const [head] = await Promise.all([
        readHead(transport, config.finality, { known, kept }),
        batch?.look(),
      ])
      noteFinal(head.finalizedHeight)
      span.noteHead(head.height)
      newest.note(head.height)
      return head
    },
    blocks: async (fromHeight, count) => {
      const blocks = await readBlocks(transport, fromHeight, span.likely(fromHeight, count), kept)
      const last = blocks.at(-1)
      if (last !== undefined) {
        span.noteBlock(last.height)
        newest.note(last.height)
      }
      return blocks
    },
    between: wholes.between,
    arrivals: (blocks, ours) => readArrivals({ ...deps, ...shared }, blocks, ours),
    outcomes: (hashes, followed) => readOutcomes(transport, hashes, followed),
    lanePosition: async (address) => {
      const position = await readLanePosition(transport, config.finality, address)
      noteFinal(position.finalizedHeight)
      return position
    },
    pooled: (address) => readPooled(transport, address),
    balances: (address, assets) => readBalances(transport, address, assets),
    exact,
    ...(batch === undefined ? {} : { batch }),
    venues: openVenues(markets),
    ...(config.markets ? { market: openMarketReader(transport, config.markets, shared) } : {}),
    tokens: openTokenReader(transport),
    selfCustody: openSelfCustody({ ...deps, facts, tokens, explain, exact, wholes }),
    estimateFees: () => estimateFees(deps),
    nodes,
    sandboxInstance: () => readSandboxInstance(transport),
  }
}

function chainIdOf({ network }: NetworkConfig): bigint {
  const [namespace, reference = ''] = network.split(':')
  if (namespace !== 'eip155') throw new Error(`${network} is not an EVM network`)
  return BigInt(reference)
}

function requireCanonical(token: string): Address {
  const address = parseAddress(token)
  if (address !== token) throw new Error(`the asset ${token} is not spelled as EIP-55 says`)
  return address
}
