import type { Addresses } from './addresses.ts'
import type {
  Address,
  Instruction,
  ModuleMint,
  ModuleTools,
  ProgramTrade,
  WireInstruction,
} from './venue-api.ts'

/** Both instructions: eight bytes of name, and two amounts. */
export const DATA_BYTES = 24
/** Of the interface: `buy_exact_quote_in_v2` and `sell_v2`. */
const BUY = Uint8Array.of(194, 171, 28, 70, 104, 77, 91, 47)
const SELL = Uint8Array.of(93, 246, 130, 60, 231, 233, 64, 178)
const AMOUNT_AT = 8
const LEAST_AT = 16
/** Where accounts stand that their trade alone decides. */
const PLACES = { mint: 1, tokenProgram: 3, feeRecipient: 6, buyback: 8, wallet: 13, vault: 16 }

/** What decides every account of a trade. */
export interface Parties {
  readonly side: 'buy' | 'sell'
  readonly wallet: Address
  readonly mint: ModuleMint
  readonly feeRecipient: Address
  readonly buyback: Address
  /** The vault of the curve's creator. */
  readonly vault: Address
}

/** The one instruction of a trade in lamports. */
export function tradeInstruction(
  tools: ModuleTools,
  addresses: Addresses,
  parties: Parties,
  { amountIn, minimumOut }: { readonly amountIn: bigint; readonly minimumOut: bigint },
): Instruction {
  const data = Buffer.alloc(DATA_BYTES)
  data.set(parties.side === 'buy' ? BUY : SELL)
  data.writeBigUInt64LE(amountIn, AMOUNT_AT)
  data.writeBigUInt64LE(minimumOut, LEAST_AT)
  const accounts = placesOf(tools, addresses, parties).map((place) => ({
    address: 'derive' in place ? place.derive() : place.address,
    isWritable: place.isWritable,
  }))
  return { program: addresses.program, accounts, data }
}

/** Reads one back; undefined when an account stands where the interface wants another, or a byte is not its own. */
export function readTrade(
  tools: ModuleTools,
  addresses: Addresses,
  { program, accounts, data }: WireInstruction,
): ProgramTrade | undefined {
  if (program !== addresses.program || data.length !== DATA_BYTES) return undefined
  const is = (name: Uint8Array) => name.every((byte, at) => data[at] === byte)
  const side = is(BUY) ? 'buy' : is(SELL) ? 'sell' : undefined
  const [address, tokenProgram, wallet] = [
    accounts[PLACES.mint],
    accounts[PLACES.tokenProgram],
    accounts[PLACES.wallet],
  ]
  const [feeRecipient, buyback, vault] = [
    accounts[PLACES.feeRecipient],
    accounts[PLACES.buyback],
    accounts[PLACES.vault],
  ]
  if (side === undefined || wallet === undefined || address === undefined) return undefined
  if (feeRecipient === undefined || buyback === undefined || vault === undefined) return undefined
  if (tokenProgram === undefined || !addresses.tokenPrograms.includes(tokenProgram))
    return undefined
  const mint = { address, program: tokenProgram }
  const parties = { side, wallet, mint, feeRecipient, buyback, vault } as const
  if (!stand(accounts, placesOf(tools, addresses, parties))) return undefined
  const amounts = Buffer.from(data)
  return {
    side,
    wallet,
    mint: address,
    amountIn: amounts.readBigUInt64LE(AMOUNT_AT),
    minimumOut: amounts.readBigUInt64LE(LEAST_AT),
    counterparty: addresses.curve(address),
  }
}

/** An account of a trade: one that is known anyway, or one that has to be derived, which costs a search. */
type Place = { readonly isWritable: boolean } & (
  { readonly address: Address } | { readonly derive: () => Address }
)

/** In the order of the interface: 27 for a buy, 26 for a sale. */
function placesOf(
  tools: ModuleTools,
  addresses: Addresses,
  { side, wallet, mint, feeRecipient, buyback, vault }: Parties,
): readonly Place[] {
  const { native } = addresses
  const curve = once(() => addresses.curve(mint.address))
  const volume = once(() => addresses.userVolume(wallet))
  const read = (address: Address): Place => ({ address, isWritable: false })
  const written = (address: Address): Place => ({ address, isWritable: true })
  const derived = (derive: () => Address): Place => ({ derive, isWritable: true })
  const holding = (owner: Address, of: ModuleMint) => derived(() => tools.associated(owner, of))
  return [
    read(addresses.global),
    read(mint.address),
    read(native.address),
    read(mint.program),
    read(native.program),
    read(addresses.associatedTokenProgram),
    written(feeRecipient),
    holding(feeRecipient, native),
    written(buyback),
    holding(buyback, native),
    derived(curve),
    derived(() => tools.associated(curve(), mint)),
    derived(() => tools.associated(curve(), native)),
    written(wallet),
    holding(wallet, mint),
    holding(wallet, native),
    written(vault),
    holding(vault, native),
    { derive: () => addresses.sharingConfig(mint.address), isWritable: false },
    ...(side === 'buy' ? [read(addresses.globalVolume)] : []),
    derived(volume),
    derived(() => tools.associated(volume(), native)),
    read(addresses.feeConfig),
    read(addresses.feeProgram),
    read(addresses.systemProgram),
    read(addresses.eventAuthority),
    read(addresses.program),
  ]
}

/** Whether each account stands in its place. Those that are known come first: whoever names anything costs no search. */
function stand(accounts: readonly Address[], places: readonly Place[]): boolean {
  return (
    places.length === accounts.length &&
    places.every((place, at) => 'derive' in place || place.address === accounts[at]) &&
    places.every((place, at) => !('derive' in place) || place.derive() === accounts[at])
  )
}

function once(find: () => Address): () => Address {
  let found: Address | undefined
  return () => (found ??= find())
}
