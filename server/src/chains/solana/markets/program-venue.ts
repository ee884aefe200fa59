import { baseUnits } from '@florin/wire/amount.ts'
import { transferMemo } from '@florin/wire/transfer-memo.ts'
import type { Address } from '../../chain.ts'
import { NotCarried } from '../../venue.ts'
import type {
  Quote,
  QuoteOrder,
  QuoteOutcome,
  SwapDraftOutcome,
  SwapOrder,
  SwapPrepareOutcome,
  Venue,
} from '../../venue.ts'
import { accountsRead } from '../accounts.ts'
import type { Account } from '../accounts.ts'
import { lifetimeRead } from '../blocks.ts'
import type { Lifetime } from '../blocks.ts'
import type { DraftDeps } from '../draft.ts'
import { SIGNATURE_FEE, automaticPrice, fixedPrice, priorityFeeOf } from '../fees.ts'
import { compileMessage } from '../message.ts'
import type { Instruction } from '../message.ts'
import type { Mint } from '../mint.ts'
import { writePaymentTerms } from '../payment-terms.ts'
import { preparationOf } from '../prepare.ts'
import { MEMO_PROGRAM, SYSTEM_PROGRAM } from '../programs.ts'
import { rentFor } from '../rent.ts'
import { spendable } from '../scene.ts'
import { NO_SIGNATURE, withSignature } from '../sign.ts'
import { budgetInstructions, createAccountInstruction } from '../transfer.ts'
import type { OpenedModule } from '../venue-module.ts'
import { checkTrade } from './program-check.ts'
import { rehearse } from './program-rehearsal.ts'
import { slotHash } from './slot-hash.ts'
import { receivedBy } from './swap-received.ts'

/** What a trade may use; what it does not use is not paid back, so it is what a program's own documents set. */
const UNITS = 400_000n
/** As far as a module is shown an account. */
const ACCOUNT_BYTES = 4_096
const ACCOUNTS_MAX = 16

interface Scene {
  readonly mint: Mint
  readonly accounts: readonly (Account | undefined)[]
  readonly balances: { readonly native: bigint; readonly asset: bigint }
  readonly slot: bigint
  /** A buy has to make the wallet's token account. It stays. */
  readonly createsAccount: boolean
  /** That, and what the program itself makes for the wallet. */
  readonly accountRent: bigint
  readonly pricePerUnit: bigint
  readonly priority: bigint
}

interface Built {
  readonly bytes: Uint8Array
  readonly counterparty: Address
  readonly lifetime: Lifetime
}

type Refused = Extract<SwapDraftOutcome, { ok: false }>

/**
 * A venue of a module from outside. The module says what accounts mean and what its one instruction is; the accounts are read here, and the
 * transaction is built, read back from its bytes, simulated and followed here, whatever the module says.
 */
export function openProgramVenue(deps: DraftDeps, module: OpenedModule): Venue {
  const { transport, config, facts } = deps
  const { name, venue } = module

  async function quote(order: QuoteOrder): Promise<QuoteOutcome> {
    const mint = await facts.mint(order.token.mint)
    const addresses = addressesOf(module, mint)
    const { slot, accounts } = await transport.read(accountsRead(addresses, ACCOUNT_BYTES))
    return quoted(order, mint, accounts, slot)
  }

  function quoted(
    order: QuoteOrder,
    mint: Mint,
    accounts: readonly (Account | undefined)[],
    slot: bigint,
  ): QuoteOutcome {
    const { side, amountIn } = order
    const told = venue.quote({ side, mint, amountIn }, accounts)
    if (!told.ok) return told
    const { amountOut, priceImpactBasisPoints, route } = told
    if (amountOut <= 0n) return { ok: false, refusal: 'insufficient_liquidity' }
    // What the mint keeps on the way is in no curve.
    if (mint.feeOf(amountIn) > 0n || mint.feeOf(amountOut) > 0n) {
      return { ok: false, refusal: 'no_market' }
    }
    return {
      ok: true,
      quote: {
        ...order,
        venue: name,
        amountOut,
        priceImpactBasisPoints,
        height: slot,
        expiresAtMilliseconds: null,
        route,
      },
    }
  }

  async function look({ wallet, quote: wanted, priorityFee }: SwapOrder): Promise<Scene> {
    const { token, side } = wanted
    const mint = await facts.mint(token.mint)
    const { address: account } = facts.tokenAccount(wallet, mint)
    const opens = venue.opens(wallet)
    const addresses = addressesOf(module, mint)
    const own = [wallet, account, ...opens.map(({ address }) => address)]
    const [{ slot, accounts }, rentMinimum, recentPrice] = await Promise.all([
      transport.read(accountsRead([...own, ...addresses], ACCOUNT_BYTES)),
      facts.rentMinimum(),
      facts.recentPrice(),
    ])
    const lamports = (accounts[0]?.lamports ?? 0n) - rentMinimum
    const native = lamports > 0n ? lamports : 0n
    const createsAccount = side === 'buy' && accounts[1]?.owner !== mint.program
    const made = [
      ...(createsAccount ? [{ bytes: mint.accountBytes, there: accounts[1] }] : []),
      ...opens
        .map(({ bytes }, at) => ({ bytes, there: accounts[at + 2] }))
        .filter(({ there }) => isEmpty(there)),
    ]
    // Whoever sent lamports there has paid so much of it.
    const rents = made.map(
      ({ bytes, there }) => rentFor(BigInt(bytes), rentMinimum) - (there?.lamports ?? 0n),
    )
    const pricePerUnit =
      priorityFee === undefined
        ? automaticPrice(recentPrice, config.fees)
        : fixedPrice(priorityFee, UNITS)
    return {
      mint,
      accounts: accounts.slice(own.length),
      balances: { native, asset: side === 'buy' ? native : spendable(accounts[1], mint, wallet) },
      slot,
      createsAccount,
      accountRent: rents.reduce((sum, rent) => sum + (rent > 0n ? rent : 0n), 0n),
      pricePerUnit,
      priority: priorityFeeOf({ units: UNITS, pricePerUnit }),
    }
  }

  async function build(
    scene: Scene,
    order: SwapOrder,
    isPaidFor: boolean,
  ): Promise<Built | Refused> {
    const { wallet, quote: wanted, minimumOut, commitment } = order
    const { side, amountIn } = wanted
    const { mint, accounts, slot } = scene
    const now = quoted(wanted, mint, accounts, slot)
    if (!now.ok) {
      return { ok: false, refusal: now.refusal === 'no_market' ? 'no_market' : 'price_moved' }
    }
    if (now.quote.amountOut < minimumOut) return { ok: false, refusal: 'price_moved' }
    const lifetime = await transport.read(lifetimeRead)
    const trade = venue.trade({ side, mint, amountIn, wallet, minimumOut }, accounts)
    const message = compileMessage(wallet, stepsOf(scene, order, trade), lifetime.blockhash)
    const bytes = withSignature(NO_SIGNATURE, message)
    const checked = checkTrade(facts, module, bytes, {
      ...{ side, wallet, mint, amountIn, minimumOut },
      commitment: Buffer.from(commitment).toString('hex'),
      feeMax: SIGNATURE_FEE + scene.priority,
    })
    if (!checked.ok) throw new NotCarried(`a trade of ${name} is not signed: ${checked.problem}`)
    if (isPaidFor) await rehearse(deps, bytes, order, scene.accountRent)
    return { bytes, counterparty: checked.trade.counterparty, lifetime }
  }

  function stepsOf(scene: Scene, { wallet, commitment }: SwapOrder, trade: Instruction) {
    const { mint, createsAccount, pricePerUnit } = scene
    const { address: account } = facts.tokenAccount(wallet, mint)
    const route = { mint: mint.address, program: mint.program }
    return [
      ...budgetInstructions({ units: UNITS, pricePerUnit }),
      ...(createsAccount ? [createAccountInstruction(wallet, wallet, account, route)] : []),
      trade,
      { program: MEMO_PROGRAM, accounts: [], data: Buffer.from(transferMemo(commitment), 'utf8') },
    ]
  }

  return {
    name,
    quote,
    draft: async (order) => {
      const scene = await look(order)
      if (!covers(scene, order.quote)) return { ok: false, refusal: 'insufficient_funds' }
      const built = await build(scene, order, true)
      if ('ok' in built) return built
      const { bytes, counterparty, lifetime } = built
      const { balances, slot } = scene
      return {
        ok: true,
        counterparty,
        allowance: null,
        draft: {
          terms: writePaymentTerms({
            network: config.network,
            feePayer: order.wallet,
            transaction: Buffer.from(bytes).toString('base64'),
            lastValidBlockHeight: lifetime.lastValidBlockHeight,
          }),
          feeCeiling: baseUnits(feeOf(scene)),
          priorityFee: baseUnits(scene.priority),
          carriesCommitment: true,
          balances: {
            ...balances,
            height: slot,
            blockHash: await slotHash(transport, slot, lifetime),
          },
          laneLatest: 0n,
        },
      }
    },
    prepare: async (order): Promise<SwapPrepareOutcome> => {
      const scene = await look(order)
      const built = await build(scene, order, covers(scene, order.quote))
      if ('ok' in built) return built
      const { bytes, counterparty, lifetime } = built
      const { balances, priority, accountRent } = scene
      return {
        ok: true,
        counterparty,
        allowance: null,
        preparation: preparationOf(deps, {
          transaction: bytes,
          wallets: [order.wallet],
          balances,
          fee: { max: feeOf(scene), priority, accountRent },
          lastValidBlockHeight: lifetime.lastValidBlockHeight,
          carriesCommitment: true,
        }),
      }
    },
    received: (swap) => receivedBy(swap),
    // What was signed says how much goes in at most; what is gone beyond that is told as cost.
    taken: ({ quote: { side, amountIn }, senderChanges }) => {
      if (side === 'sell' || senderChanges === undefined) return amountIn
      const gone = -(senderChanges.find(({ asset }) => asset === 'native')?.delta ?? 0n)
      if (gone <= 0n) return null
      return gone < amountIn ? gone : amountIn
    },
  }
}

/** Anybody can send lamports to an address, and no program has made an account by that. */
function isEmpty(account: Account | undefined): boolean {
  return account === undefined || (account.owner === SYSTEM_PROGRAM && account.space === 0n)
}

function addressesOf({ venue }: OpenedModule, mint: Mint): readonly Address[] {
  const addresses = venue.accounts(mint)
  if (addresses.length > ACCOUNTS_MAX) throw new RangeError('a module asks for too many accounts')
  return addresses
}

/** What the wallet may lose at most beside what goes in. */
function feeOf({ priority, accountRent }: Scene): bigint {
  return SIGNATURE_FEE + priority + accountRent
}

/** Whether the wallet has what goes in, the fee and the rent. */
function covers(scene: Scene, { side, amountIn }: Quote): boolean {
  const { balances } = scene
  const going = side === 'buy' ? amountIn : 0n
  return balances.native >= going + feeOf(scene) && balances.asset >= amountIn
}
