// Compares this venue with the published package, which is installed here alone: npm install --ignore-scripts, then npm test.
// With --record it writes vectors.json, which the tests of the core read where the package is not installed.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { MODULE_TOOLS } from '../../server/src/chains/solana/markets/open-module.ts'
import { venue } from './venue.ts'

const require = createRequire(import.meta.url)
const sdk = require('@pump-fun/pump-sdk')
const { PublicKey } = require('@solana/web3.js')
const BN = require('bn.js')
const { PUMP_SDK } = sdk
const pump = PUMP_SDK.offlinePumpProgram
const fees = PUMP_SDK.offlinePumpFeeProgram
const key = (serial) => new PublicKey(Buffer.alloc(32, serial))
const keys = (from, count) => Array.from({ length: count }, (_, at) => key(from + at))
const NATIVE = new PublicKey('So11111111111111111111111111111111111111112')
const TOKEN = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const TOKEN_2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
const rate = (lpFeeBps, protocolFeeBps, creatorFeeBps) => ({
  lpFeeBps: new BN(lpFeeBps),
  protocolFeeBps: new BN(protocolFeeBps),
  creatorFeeBps: new BN(creatorFeeBps),
})
const tier = (from, ...rates) => ({
  marketCapLamportsThreshold: new BN(from),
  fees: rate(...rates),
})

const global = {
  initialized: true,
  authority: key(1),
  feeRecipient: key(20),
  initialVirtualTokenReserves: new BN('1073000000000000'),
  initialVirtualSolReserves: new BN('30000000000'),
  initialRealTokenReserves: new BN('793100000000000'),
  tokenTotalSupply: new BN('1000000000000000'),
  feeBasisPoints: new BN(95),
  withdrawAuthority: key(2),
  enableMigrate: true,
  poolMigrationFee: new BN(15000001),
  creatorFeeBasisPoints: new BN(5),
  feeRecipients: keys(21, 7),
  setCreatorAuthority: key(3),
  adminSetCreatorAuthority: key(4),
  createV2Enabled: true,
  whitelistPda: key(5),
  reservedFeeRecipient: key(40),
  mayhemModeEnabled: true,
  reservedFeeRecipients: keys(41, 7),
  isCashbackEnabled: false,
  buybackFeeRecipients: keys(60, 8),
  buybackBasisPoints: new BN(5000),
  initialVirtualQuoteReserves: new BN(4292000000),
  whitelistedQuoteMints: [key(6)],
  creatorFeeConfigurable: false,
  maxConfigurableCreatorFeeBps: new BN(0),
  holderRewardClaimAuthority: key(7),
  isHolderRewardEnabled: false,
}
const feeConfig = {
  bump: 255,
  admin: key(8),
  flatFees: rate(20, 5, 5),
  feeTiers: [
    tier('0', 0, 95, 30),
    tier('60000000000', 0, 93, 25),
    tier('60000000000000', 20, 5, 5),
  ],
  stableFeeTiers: [tier('0', 0, 11, 12)],
  exoticFlatFees: rate(0, 300, 25),
}
const fresh = {
  virtualTokenReserves: new BN('1073000000000000'),
  virtualQuoteReserves: new BN('30000000000'),
  realTokenReserves: new BN('793100000000000'),
  realQuoteReserves: new BN(0),
  tokenTotalSupply: new BN('1000000000000000'),
  complete: false,
  creator: key(90),
  isMayhemMode: false,
  isCashbackCoin: false,
  quoteMint: PublicKey.default,
  creatorFeeBps: new BN(0),
  canEditCreatorFee: false,
  isHolderReward: false,
}
const traded = {
  ...fresh,
  virtualTokenReserves: new BN('643800000000017'),
  virtualQuoteReserves: new BN('50000000003'),
  realTokenReserves: new BN('363900000000017'),
  realQuoteReserves: new BN('20000000003'),
}
const cases = [
  { curve: fresh, side: 'buy', amountIn: 1_000_000_000n, tokens: TOKEN_2022 },
  { curve: fresh, side: 'buy', amountIn: 12_345n, tokens: TOKEN },
  { curve: traded, side: 'buy', amountIn: 777_777_777n, tokens: TOKEN_2022 },
  { curve: traded, side: 'sell', amountIn: 1_234_567_890_123n, tokens: TOKEN_2022 },
  { curve: traded, side: 'sell', amountIn: 1_000n, tokens: TOKEN },
  {
    curve: { ...traded, creator: PublicKey.default, quoteMint: NATIVE },
    side: 'sell',
    amountIn: 5_000_000_000n,
    tokens: TOKEN,
  },
]
const owned = (owner, data) => ({ owner, data: data.toString('base64') })
/** By the package's own layout; its encoder has no room for the larger accounts. */
function encoded({ coder }, name, value) {
  const { discriminator, layout } = coder.accounts.accountLayouts.get(name)
  const room = Buffer.alloc(4_096)
  const length = layout.encode(value, room)
  return Buffer.concat([Buffer.from(discriminator), room.subarray(0, length)])
}
const settings = [
  owned(venue.program, encoded(pump, 'global', global)),
  owned('pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ', encoded(fees, 'feeConfig', feeConfig)),
]
const wallet = key(201)
const mint = key(202)

/** What the published package says of the same state. */
async function published({ curve, side, amountIn, tokens }) {
  const amount = new BN(amountIn.toString())
  const mintSupply = global.tokenTotalSupply
  const state = { global, feeConfig, mintSupply, bondingCurve: curve, amount }
  const amountOut = (
    side === 'buy'
      ? sdk.getBuyTokenAmountFromSolAmount({ ...state, quoteMint: curve.quoteMint })
      : sdk.getSellSolAmountFromTokenAmount(state)
  ).toString()
  const least = new BN(amountOut).muln(99).divn(100)
  // As the venue picks them: by the wallet's first byte.
  const parties = {
    user: wallet,
    mint,
    creator: curve.creator,
    amount,
    quoteAmount: least,
    feeRecipient: [global.feeRecipient, ...global.feeRecipients][201 % 8],
    buybackFeeRecipient: global.buybackFeeRecipients[201 % 8],
    tokenProgram: tokens,
  }
  const built =
    side === 'sell'
      ? await PUMP_SDK.getSellV2InstructionRaw(parties)
      : await PUMP_SDK.getBuyV2InstructionRaw(parties)
  // The package builds the buy for exactly so many tokens; for exactly so many lamports its interface has the same accounts.
  const data =
    side === 'sell'
      ? built.data
      : pump.coder.instruction.encode('buyExactQuoteInV2', {
          spendableQuoteIn: amount,
          minTokensOut: least,
        })
  if (side === 'buy') assert.deepEqual(accountNames('buyExactQuoteInV2'), accountNames('buyV2'))
  return {
    amountOut,
    minimumOut: least.toString(),
    program: built.programId.toBase58(),
    accounts: built.keys.map(({ pubkey, isWritable, isSigner }) => ({
      address: pubkey.toBase58(),
      isWritable,
      isSigner,
    })),
    data: data.toString('base64'),
  }
}

function accountNames(name) {
  return pump.idl.instructions
    .find((each) => each.name === name)
    .accounts.map(({ name: account, writable = false, signer = false }) => ({
      account,
      writable,
      signer,
    }))
}

const addresses = {
  curve: sdk.bondingCurvePda(mint).toBase58(),
  global: sdk.GLOBAL_PDA.toBase58(),
  feeConfig: sdk.PUMP_FEE_CONFIG_PDA.toBase58(),
  userVolume: sdk.userVolumeAccumulatorPda(wallet).toBase58(),
}
const vectors = {
  from: '@pump-fun/pump-sdk 2.0.0',
  wallet: wallet.toBase58(),
  mint: mint.toBase58(),
  addresses,
  settings,
  cases: await Promise.all(
    cases.map(async (each) => ({
      side: each.side,
      amountIn: each.amountIn.toString(),
      tokenProgram: each.tokens.toBase58(),
      curve: owned(venue.program, encoded(pump, 'bondingCurve', each.curve)),
      published: await published(each),
    })),
  ),
}

const opened = venue.open(MODULE_TOOLS)
for (const { side, amountIn, tokenProgram, curve, published: wanted } of vectors.cases) {
  const order = {
    side,
    mint: { address: vectors.mint, program: tokenProgram },
    amountIn: BigInt(amountIn),
  }
  const accounts = [curve, ...settings].map(({ owner, data }) => ({
    lamports: 1n,
    owner,
    isExecutable: false,
    data: Buffer.from(data, 'base64'),
    space: 1n,
  }))
  const said = opened.quote(order, accounts)
  assert.ok(said.ok, said.refusal)
  const minimumOut = BigInt(wanted.minimumOut)
  const built = opened.trade({ ...order, wallet: vectors.wallet, minimumOut }, accounts)
  assert.equal(built.program, wanted.program)
  assert.deepEqual(
    built.accounts.map((each) => ({ ...each, isSigner: each.address === vectors.wallet })),
    wanted.accounts,
  )
  assert.equal(Buffer.from(built.data).toString('base64'), wanted.data)
  const more = BigInt(wanted.amountOut) - said.amountOut
  const lamport = side === 'buy' ? (said.amountOut * 3n) / order.amountIn + 3n : 0n
  assert.ok(
    more >= 0n && more <= lamport,
    `${side}: ${said.amountOut}, published ${wanted.amountOut}`,
  )
  process.stdout.write(`ok ${side} ${amountIn}: ${said.amountOut}, published ${wanted.amountOut}\n`)
}
assert.deepEqual(opened.accounts({ address: vectors.mint, program: TOKEN.toBase58() }), [
  addresses.curve,
  addresses.global,
  addresses.feeConfig,
])
if (process.argv.includes('--record')) {
  writeFileSync(new URL('vectors.json', import.meta.url), `${JSON.stringify(vectors, null, 2)}\n`)
}
