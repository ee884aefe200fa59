import { readFile } from 'node:fs/promises'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parseNetworks } from './networks-file.ts'

const entry = {
  network: 'eip155:8453',
  name: 'Base',
  rpcUrls: ['https://node.example/v2/canary-provider-key'],
  assets: [
    { symbol: 'ETH', asset: 'native', decimals: 18 },
    {
      symbol: 'USDC',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      decimals: 6,
      takesCommitment: true,
      domain: { name: 'USD Coin', version: '2' },
    },
  ],
  releaseDepth: 1,
  finality: { kind: 'tag' },
  blockTimeMilliseconds: 2000,
  fees: {
    feePerGasMax: '500000000000',
    tipPerGasDefault: '1000000',
    ceilingMultiple: '2',
    bumpAfterBlocks: 3,
  },
}
const parse = (...networks: unknown[]) => parseNetworks(JSON.stringify({ networks }))
const problemsOf = (...networks: unknown[]) => {
  const outcome = parse(...networks)
  return outcome.ok ? [] : outcome.problems
}

describe('a networks file', () => {
  test('becomes networks, fees as big numbers, node addresses secret', () => {
    const outcome = parse(entry)
    expect(outcome).toMatchObject({
      ok: true,
      networks: [
        {
          network: 'eip155:8453',
          family: 'evm',
          sandbox: false,
          sandboxInstance: null,
          finality: { kind: 'tag' },
          fees: { feePerGasMax: 500_000_000_000n, ceilingMultiple: 2n, bumpAfterBlocks: 3 },
        },
      ],
    })
    if (!outcome.ok) return
    expect(outcome.networks[0]?.assets[0]?.takesCommitment).toBe(false)
    expect(outcome.networks[0]?.assets[1]?.domain).toEqual({ name: 'USD Coin', version: '2' })
    expect(String(outcome.networks[0]?.rpcUrls[0])).toBe('[secret]')
    expect(outcome.networks[0]?.rpcUrls[0]?.reveal()).toBe(entry.rpcUrls[0])
  })

  test('knows the tokens that are the currency of their network, and is told of others', () => {
    const USDC = {
      symbol: 'USDC',
      asset: '0x3600000000000000000000000000000000000000',
      decimals: 6,
    }
    const [native, other] = entry.assets
    const of = (network: string, ...assets: unknown[]) => ({ ...entry, network, assets })
    const said = (network: string, change: object = {}) => {
      const outcome = parse(of(network, native, { ...USDC, ...change }))
      return outcome.ok ? outcome.networks[0]?.assets[1]?.isCurrency : outcome.problems
    }
    expect(said('eip155:5042')).toBe(true)
    expect(said('eip155:8453')).toBeUndefined()
    expect(said('eip155:7777', { isCurrency: true })).toBe(true)
    expect(said('eip155:5042', { isCurrency: false })).toEqual([
      expect.stringContaining('this token is the currency of eip155:5042'),
    ])
    expect(said('eip155:7777', { isCurrency: true, decimals: 19 })).toEqual([
      expect.stringContaining('at most 18'),
    ])
    expect(problemsOf(of('eip155:5042', { ...native, decimals: 6 }, USDC))).toEqual([
      expect.stringContaining('18 decimals'),
    ])
    expect(problemsOf(of('eip155:5042', { ...native, isCurrency: true }, other))).toEqual([
      expect.stringContaining('for tokens of EVM networks only'),
    ])
  })

  test('says which tokens ask accounts with code, and which factories may make accounts', () => {
    const [native, usdc] = entry.assets
    const factory = '0x0BA5ED0c6AA8c49038F819E587E2633c4A9F428a'
    const assets = [native, { ...usdc, takesWalletSignatures: true }]
    const outcome = parse({ ...entry, assets, walletFactories: [factory.toLowerCase()] })
    if (!outcome.ok) throw new Error(outcome.problems.join())
    expect(outcome.networks[0]?.assets[1]?.takesWalletSignatures).toBe(true)
    expect(outcome.networks[0]?.walletFactories).toEqual([factory])
    for (const wrong of ['0x12', factory.replace('BA5', 'bA5')]) {
      expect(problemsOf({ ...entry, walletFactories: [wrong] })).toEqual([
        'networks[0].walletFactories[0]: must be an EVM address, as it is written with its checksum',
      ])
    }
    const none = parse(entry)
    expect(none.ok && none.networks[0]?.walletFactories).toBeUndefined()
  })

  test('says which proxies of Permit2 a network has', () => {
    const outcome = parse({ ...entry, permit2: ['exact', 'upto'] })
    if (!outcome.ok) throw new Error(outcome.problems.join())
    expect(outcome.networks[0]?.permit2).toEqual(['exact', 'upto'])
    expect(problemsOf({ ...entry, permit2: ['exact', 'escrow'] })).toEqual([
      'networks[0].permit2[1]: must be exact or upto',
    ])
    expect(problemsOf({ ...entry, permit2: ['exact', 'exact'] })).toEqual([
      'networks[0].permit2: name a scheme twice',
    ])
    const none = parse(entry)
    expect(none.ok && none.networks[0]?.permit2).toBeUndefined()
  })

  test('says who gives payers the gas for their approvals, which nobody does unless named', () => {
    const wallet = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    const [native, usdc] = entry.assets
    const assets = [native, { ...usdc, unitsPerNative: '3000000000' }]
    const sponsored = (said: object, permit2 = ['exact']) => ({
      ...{ ...entry, assets, permit2, approvalSponsoring: { wallet, ...said } },
    })
    const outcome = parse(sponsored({ amountMax: '7' }))
    if (!outcome.ok) throw new Error(outcome.problems.join())
    expect(outcome.networks[0]?.approvalSponsoring).toEqual({
      ...{ wallet, amountMax: 7n, amountPerDay: 10n ** 16n },
    })
    const place = 'networks[0].approvalSponsoring'
    expect(problemsOf(sponsored({ wallet: wallet.toUpperCase() }))).toEqual([
      `${place}.wallet: must be an EVM address, as it is written with its checksum`,
    ])
    expect(problemsOf(sponsored({ amountPerDay: '0' }))).toHaveLength(1)
    for (const said of [{ amountMax: '11', amountPerDay: '10' }, { amountMax: `${10n ** 17n}` }]) {
      expect(problemsOf(sponsored(said))).toEqual([`${place}.amountPerDay: is less than amountMax`])
    }
    expect(problemsOf({ ...entry, assets, approvalSponsoring: { wallet } })).toEqual([
      `${place}: is of no use without permit2`,
    ])
    expect(problemsOf({ ...sponsored({}), assets: entry.assets })).toEqual([
      `${place}: needs the unitsPerNative of every token: of USDC`,
    ])
    const none = parse({ ...entry, permit2: ['exact'] })
    expect(none.ok && none.networks[0]?.approvalSponsoring).toBeUndefined()
  })

  test('takes a Solana network with mints, and no token of the other family', () => {
    const solana = {
      ...entry,
      network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      assets: [
        { symbol: 'SOL', asset: 'native', decimals: 9 },
        { symbol: 'USDC', asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6 },
      ],
    }
    expect(parse(solana)).toMatchObject({ ok: true, networks: [{ family: 'solana' }] })
    expect(problemsOf({ ...solana, assets: entry.assets })).toContain(
      'networks[0].assets[1].asset: must be "native" or a mint',
    )
    expect(problemsOf({ ...entry, assets: solana.assets })).toContain(
      'networks[0].assets[1].asset: must be "native" or a token address',
    )
  })

  test('lets smart wallets pay on Solana only where it says so, by the programs that it says', () => {
    const solana = {
      ...entry,
      network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      assets: [{ symbol: 'SOL', asset: 'native', decimals: 9 }],
    }
    const programsOf = (change: object) => {
      const outcome = parse({ ...solana, ...change })
      if (!outcome.ok) throw new Error(outcome.problems.join())
      return outcome.networks[0]?.smartWalletPrograms
    }
    expect(programsOf({})).toBeUndefined()
    const known = programsOf({ smartWallets: ['known'] })
    expect(known).toHaveLength(7)
    expect(known).toContain('SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf')
    const own = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
    expect(programsOf({ smartWallets: [own, 'known', own] })).toEqual([own, ...(known ?? [])])
    const router = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
    for (const wrong of ['squads', '11111111111111111111111111111111', router]) {
      expect(problemsOf({ ...solana, smartWallets: [wrong] })).toEqual([
        "networks[0].smartWallets[0]: must be known, or the address of a wallet's program",
      ])
    }
    expect(problemsOf({ ...entry, smartWallets: ['known'] })).toEqual([
      'networks[0].smartWallets: is for Solana networks only',
    ])
    expect(problemsOf({ ...solana, smartWallets: [] })).toEqual([
      'networks[0].smartWallets: must be a list of 1 to 32 entries',
    ])
  })

  test.each([
    ['{\n  "networks": [\n    {},\n  ]\n}\n', 'line 4, column 3'],
    ['{\r\n  "networks": [canary]\r\n}', 'line 2, column 16'],
    ['{\n  "networks": [\n', 'it ends too early, in line 3'],
    ['', 'it ends too early, in line 1'],
  ])('that is not JSON says where: %j', (text, place) => {
    expect(parseNetworks(text)).toEqual({ ok: false, problems: [`not JSON: ${place}`] })
  })

  test('may begin with the byte order mark that an editor put there', () => {
    expect(parse(entry).ok).toBe(true)
    expect(parseNetworks(`\uFEFF${JSON.stringify({ networks: [entry] })}`).ok).toBe(true)
  })

  test('is documented with an example that works', async () => {
    const page = new URL('../../docs/operating/networks.md', import.meta.url)
    const [, example = ''] = /```json\n([^]*?)```/.exec(await readFile(page, 'utf8')) ?? []
    expect(parseNetworks(example)).toMatchObject({ ok: true, networks: [{ name: 'Base' }] })
  })

  test('reports every problem at once, by its place, and repeats no node address', () => {
    const problems = problemsOf(
      {
        ...entry,
        network: 'base',
        rpcUrls: ['ftp://canary-provider-key'],
        releaseDepth: -1,
        colour: 'blue',
        finality: { kind: 'depth' },
        fees: { ...entry.fees, feePerGasMax: 500 },
      },
      { ...entry, assets: entry.assets.toReversed() },
      7,
    )
    expect(problems).toContain('networks[0].network: must be a CAIP-2 id such as eip155:8453')
    expect(problems).toContain('networks[0].rpcUrls[0]: must be an http or https URL')
    expect(problems).toContain('networks[0].releaseDepth: must be a whole number from 0 to 10000')
    expect(problems).toContain('networks[0].colour: unknown field')
    expect(problems).toContain(
      'networks[0].finality.blocks: must be a whole number from 1 to 10000',
    )
    expect(problems).toContain(
      'networks[0].fees.feePerGasMax: must be a whole number as text, "1" to "1000000000000000"',
    )
    expect(problems).toContain('networks[1].assets: must begin with the native asset')
    expect(problems).toContain('networks[2]: must be an object')
    expect(problems.join()).not.toContain('canary')
  })

  test('says what a network is worth: known ones by themselves, others when told, none otherwise than it is', () => {
    const worthOf = (network: string, more: object = {}) => {
      const outcome = parse({ ...entry, network, ...more })
      return outcome.ok ? outcome.networks[0]?.testnet : outcome.problems
    }
    expect(worthOf('eip155:8453')).toBe(false)
    expect(worthOf('eip155:84532')).toBe(true)
    expect(worthOf('eip155:84532', { testnet: true })).toBe(true)
    expect(worthOf('eip155:777777')).toBeUndefined()
    expect(worthOf('eip155:777777', { testnet: false })).toBe(false)
    expect(worthOf('eip155:8453', { testnet: true })).toEqual([
      'networks[0].testnet: eip155:8453 is a main network',
    ])
    expect(worthOf('eip155:84532', { testnet: false })).toEqual([
      'networks[0].testnet: eip155:84532 is a test network',
    ])
  })

  test('may name the first block of an EVM network', () => {
    const genesisHash = `0x${'ab'.repeat(32)}`
    expect(parse({ ...entry, genesisHash })).toMatchObject({ networks: [{ genesisHash }] })
    expect(problemsOf({ ...entry, genesisHash: '0xab' })[0]).toContain('64 hex digits')
    const network = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
    const assets = [{ symbol: 'SOL', asset: 'native', decimals: 9 }]
    expect(problemsOf({ ...entry, network, assets, genesisHash })[0]).toContain('on Solana')
  })

  test('may say what its native currency is worth, by an asset of it or by a number', () => {
    const [, token] = entry.assets
    const byToken = { kind: 'token', asset: token?.asset }
    expect(parse({ ...entry, usd: byToken })).toMatchObject({ networks: [{ usd: byToken }] })
    const fixed = { kind: 'fixed', perNative: '3000.5' }
    expect(parse({ ...entry, usd: fixed })).toMatchObject({ networks: [{ usd: fixed }] })
    const stranger = { kind: 'token', asset: `0x${'11'.repeat(20)}` }
    expect(problemsOf({ ...entry, usd: stranger })[0]).toContain('networks[0].usd')
    expect(problemsOf({ ...entry, usd: { ...fixed, perNative: '0' } })[0]).toContain('dollars')
    expect(problemsOf({ ...entry, usd: { ...fixed, perNative: '-3' } })[0]).toContain('dollars')
  })

  test('may name where tokens are traded, each family its own kinds', () => {
    const contracts = {
      factory: '0x8909dc15e40173ff4699343b6eb8132c65e18ec6',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
      wrappedNative: '0x4200000000000000000000000000000000000006',
    }
    const v2 = { venue: 'uniswap-v2', ...contracts }
    const quoter = '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a'
    const v3 = { ...v2, venue: 'uniswap-v3', quoter, feeTiers: ['500', '3000'] }
    const factory = '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6'
    expect(parse({ ...entry, markets: [v2, v3] })).toMatchObject({
      networks: [
        {
          markets: [
            { venue: 'uniswap-v2', factory },
            { quoter, feeTiers: [500, 3000] },
          ],
        },
      ],
    })
    const problemOf = (market: unknown) => problemsOf({ ...entry, markets: [market] })[0]
    expect(problemOf({ ...v2, router: '0x4752' })).toContain('networks[0].markets[0].router')
    expect(problemOf({ ...v2, router: factory.replace('C6', 'c6') })).toContain('checksum')
    const hubs = ['0x833589fcd6edb6e08f4c7c32d4f71b54bda02913']
    expect(parse({ ...entry, markets: [{ ...v3, hubs }] })).toMatchObject({
      networks: [{ markets: [{ hubs: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'] }] }],
    })
    expect(problemOf({ ...v2, hubs: ['USDC'] })).toContain('hubs[0]')
    expect(problemOf({ ...v2, hubs: Array(5).fill(hubs[0]) })).toContain('hubs')
    expect(problemOf({ ...v2, quoter })).toContain('quoter: unknown field')
    expect(problemOf({ ...v3, feeTiers: ['1000000'] })).toContain('feeTiers[0]')
    expect(problemOf({ venue: 'rfq', makers: [] })).toContain('"uniswap-v2" or "uniswap-v3"')

    const network = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
    const assets = [{ symbol: 'SOL', asset: 'native', decimals: 9 }]
    const address = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'
    const solana = (market: unknown) => parse({ ...entry, network, assets, markets: [market] })
    const maker = { url: 'https://maker.example/canary-maker-key', address }
    const rfq = solana({ venue: 'rfq', makers: [maker] })
    expect(rfq).toMatchObject({ networks: [{ markets: [{ makers: [{ address }] }] }] })
    expect(inspect(rfq, { depth: 9 })).not.toContain('canary')
    const refused = solana({ venue: 'rfq', makers: [{ ...maker, url: 'canary' }] })
    expect(refused.ok).toBe(false)
    expect(JSON.stringify(refused)).not.toContain('canary')
    const url = 'https://router.example'
    expect(solana({ venue: 'jupiter', url, apiKey: 'canary' }).ok).toBe(true)
    expect(solana(v2).ok).toBe(false)

    const module = { venue: 'module', name: 'curve' }
    const text = JSON.stringify({ networks: [{ ...entry, network, assets, markets: [module] }] })
    const named = { networks: [{ markets: [module] }] }
    expect(parseNetworks(text)).toMatchObject(named)
    expect(parseNetworks(text, [{ name: 'curve', networks: [network] }])).toMatchObject(named)
    const others = ['eip155:8453', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp']
    for (const known of [
      [],
      [{ name: 'other', networks: [network] }],
      [{ name: 'curve', networks: others }],
    ]) {
      expect(parseNetworks(text, known)).toEqual({
        ok: false,
        problems: [
          'networks[0].markets[0].name: must be a venue of FLORIN_VENUES for this network',
        ],
      })
    }
    expect(problemOf(module)).toContain('"uniswap-v2" or "uniswap-v3"')
  })

  test.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['no networks', '{}'],
    ['no entries', '{"networks":[]}'],
  ])('%s is refused', (_, text) => {
    expect(parseNetworks(text).ok).toBe(false)
  })

  test('one network twice, or one asset twice, is refused', () => {
    expect(problemsOf(entry, entry)).toContain('networks[1].network: eip155:8453 is given twice')
    const twice = { ...entry, assets: [...entry.assets, entry.assets[1]] }
    expect(problemsOf(twice)[0]).toBe('networks[0].assets: give the same symbol twice')
  })
})
