import type { Address, Block, TransactionHash } from '../../server/src/chains/chain.ts'
import { decodeBase58, encodeBase58 } from '../../server/src/chains/solana/base58.ts'
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../server/src/chains/solana/programs.ts'
import { ALICE, ALICES, BOB, HASH, MINT, RENT } from '../../server/src/chains/solana/test-scene.ts'
import type { Lines } from '../../server/src/chains/solana/test-script.ts'
import { associatedAccount } from '../../server/src/chains/solana/token-account.ts'
import { readWireTransaction } from '../../server/src/chains/solana/wire-transaction.ts'
import { CURVE, FEE, HELD, LAMPORTS, VOLUME, VOLUME_RENT } from './test-scene.ts'
import { pump } from './test-vectors.ts'

export const MINED = encodeBase58(new Uint8Array(64).fill(9)) as TransactionHash
export const BLOCK: Block = {
  height: 60n,
  hash: HASH,
  parentHash: '',
  timeMilliseconds: 0,
  transactionHashes: [MINED],
}
const CURVES = associatedAccount(CURVE, TOKEN_PROGRAM, MINT).address
/** Of the program's curve; more than any sale takes. */
const CURVE_LAMPORTS = 10n ** 12n
const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

export interface Happened {
  /** Tokens of a buy, lamports of a sale. */
  readonly out: bigint
  /** The program made Alice's account of what she trades. */
  readonly isFirst?: boolean
  /** What a stranger had sent to that account before. */
  readonly ahead?: bigint
  /** It was closed at once, which gave Alice its lamports back, and made again. */
  readonly isAgain?: boolean
  /** Of a buy; left out, all that was offered. */
  readonly taken?: bigint
  /** Lamports that Alice signed over to Bob in the same transaction; less than nothing: he to her. */
  readonly beside?: bigint
  /** The node keeps no inner instructions. */
  readonly isForgotten?: boolean
  readonly isFailed?: boolean
}

/**
 * What a node shows of Alice's transaction once it is mined, by what the public documents say that the program does: a buy hands lamports on
 * by the System program and tokens by the token program; what comes out of a sale is moved without an instruction.
 */
export function minedLines(bytes: Uint8Array, happened: Happened): Lines {
  const { out, isFirst = false, isForgotten = false, isFailed = false } = happened
  const { ahead = 0n, isAgain = false, beside = 0n } = happened
  const read = readWireTransaction(bytes)
  const at = read?.instructions.findIndex((each) => pump.read(each) !== undefined) ?? -1
  const call = read?.instructions[at]
  const trade = call && pump.read(call)
  if (read === undefined || call === undefined || trade === undefined) throw new Error('no trade')
  const keys = [
    ...new Set([
      ALICE,
      ...(beside === 0n ? [] : [BOB, SYSTEM_PROGRAM]),
      ...read.instructions.flatMap(({ program, accounts }) => [...accounts, program]),
    ]),
  ]
  const place = (address: Address) => keys.indexOf(address)
  const shown = (program: Address, accounts: readonly Address[], data: Uint8Array) => ({
    programIdIndex: place(program),
    accounts: accounts.map(place),
    data: encodeBase58(data),
  })
  const lamports = (to: Address, amount: bigint, from: Address = ALICE) =>
    shown(SYSTEM_PROGRAM, [from, to], Buffer.concat([Buffer.of(2, 0, 0, 0), u64(amount)]))
  const tokens = (from: Address, to: Address, owner: Address, amount: bigint) =>
    shown(
      TOKEN_PROGRAM,
      [from, MINT, to, owner],
      Buffer.concat([Buffer.of(12), u64(amount), Buffer.of(6)]),
    )
  const made = VOLUME?.address ?? ALICE
  const created = shown(
    SYSTEM_PROGRAM,
    [ALICE, made],
    Buffer.concat([
      Buffer.of(0, 0, 0, 0),
      u64(VOLUME_RENT),
      u64(137n),
      decodeBase58(call.program, 32) ?? Buffer.alloc(32),
    ]),
  )
  const allocated = shown(SYSTEM_PROGRAM, [made], Buffer.concat([Buffer.of(8, 0, 0, 0), u64(137n)]))
  const making = ahead > 0n ? [lamports(made, VOLUME_RENT - ahead), allocated] : [created]
  const { side } = trade
  const amountIn = happened.taken ?? trade.amountIn
  const [fee, vault] = [call.accounts[6] ?? ALICE, call.accounts[16] ?? ALICE]
  const parts = { fee: amountIn / 100n, vault: amountIn / 300n }
  const inner =
    side === 'buy'
      ? [
          tokens(CURVES, ALICES, CURVE, out),
          lamports(CURVE, amountIn - parts.fee - parts.vault),
          lamports(fee, parts.fee),
          lamports(vault, parts.vault),
        ]
      : [tokens(ALICES, CURVES, ALICE, amountIn)]
  const rent = isFirst && !isFailed ? VOLUME_RENT - ahead : 0n
  const gained = isFailed ? 0n : side === 'buy' ? -amountIn : out
  const moved = isFailed ? 0n : side === 'buy' ? out : -amountIn
  const sent = isFailed ? 0n : beside
  /** `traded`: what the program has from Alice by then; of a buy its fees are at their own accounts. */
  const balances = (alice: bigint, volume: bigint, bob: bigint, traded: bigint) => {
    const fees = traded > 0n ? parts : { fee: 0n, vault: 0n }
    const known = new Map([
      [CURVE, CURVE_LAMPORTS + traded - fees.fee - fees.vault],
      [fee, RENT + fees.fee],
      [vault, RENT + fees.vault],
      [ALICE, alice],
      [made, volume],
      [BOB, bob],
    ])
    return keys.map((key) => Number(known.get(key) ?? RENT))
  }
  const holding = (account: Address, owner: Address, amount: bigint) => ({
    accountIndex: place(account),
    mint: MINT,
    owner,
    programId: TOKEN_PROGRAM,
    uiTokenAmount: { amount: `${amount}`, decimals: 6 },
  })
  const reserve = 10n ** 15n
  const result = {
    slot: Number(BLOCK.height),
    version: 0,
    transaction: {
      signatures: [MINED],
      message: {
        header: {
          numRequiredSignatures: 1,
          numReadonlySignedAccounts: 0,
          numReadonlyUnsignedAccounts: 0,
        },
        accountKeys: keys,
        recentBlockhash: HASH,
        addressTableLookups: [],
        instructions: [
          ...read.instructions.map(({ program, accounts, data }) => shown(program, accounts, data)),
          ...(beside > 0n ? [lamports(BOB, beside)] : []),
          ...(beside < 0n ? [lamports(ALICE, -beside, BOB)] : []),
        ],
      },
    },
    meta: {
      err: isFailed ? { InstructionError: [at, { Custom: 6042 }] } : null,
      fee: Number(FEE),
      preBalances: balances(LAMPORTS, isFirst ? ahead : VOLUME_RENT, LAMPORTS, 0n),
      postBalances: balances(
        LAMPORTS + gained - rent - FEE - sent,
        isFirst && isFailed ? ahead : VOLUME_RENT,
        LAMPORTS + sent,
        -gained,
      ),
      preTokenBalances: [holding(ALICES, ALICE, HELD), holding(CURVES, CURVE, reserve)],
      postTokenBalances: [
        holding(ALICES, ALICE, HELD + moved),
        holding(CURVES, CURVE, reserve - moved),
      ],
      loadedAddresses: { writable: [], readonly: [] },
      innerInstructions: isForgotten
        ? null
        : [
            {
              index: at,
              instructions: [...(isFirst ? making : []), ...(isAgain ? making : []), ...inner],
            },
          ],
    },
  }
  return {
    getTransaction: result,
    getBlock: {
      blockhash: HASH,
      transactions: [
        {
          transaction: {
            signatures: [MINED],
            accountKeys: keys.map((pubkey) => ({ pubkey, signer: pubkey === ALICE })),
          },
          meta: result.meta,
        },
      ],
    },
    getSlot: Number(BLOCK.height),
  }
}
