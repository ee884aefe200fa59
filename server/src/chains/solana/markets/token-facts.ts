import { NodeFailure } from '../../chain.ts'
import type { Address } from '../../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../../json-rpc/answer.ts'
import type { Read, Transport } from '../../json-rpc/transport.ts'
import type { TokenHolding, TokenReader } from '../../token-reader.ts'
import { addressFromBytes } from '../account.ts'
import { accountFrom, accountsRead } from '../accounts.ts'
import {
  addressFrom,
  amountFrom,
  contextFrom,
  indexFrom,
  integerFrom,
  textFrom,
} from '../answer.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../programs.ts'
import { METAPLEX_BYTES, metaplexAddress } from './metaplex.ts'
import { mintFacts } from './mint-facts.ts'

/** Nodes take a hundred addresses at once. */
const ACCOUNTS_PER_READ_MAX = 100
/** A mint with its name and all extensions stays below; a stranger's account may have 10 MB. */
const MINT_BYTES_MAX = 4_096
const OWNER_BYTES = 32
const HOLDER = { offset: OWNER_BYTES, length: OWNER_BYTES + 8 }

/** Tokens as the chain tells them. */
export function openTokenReader({ transport }: { readonly transport: Transport }): TokenReader {
  return {
    facts: async (mints, sinceSlot = 0n) => {
      const [accounts, named] = await Promise.all([
        whole(transport, mints, MINT_BYTES_MAX, sinceSlot),
        whole(transport, mints.map(metaplexAddress), METAPLEX_BYTES, sinceSlot),
      ])
      return mints.map((mint, index) => mintFacts(mint, accounts[index], named[index]))
    },
    holders: async (mint) => {
      try {
        const { accounts } = await transport.read(accountsRead([mint]))
        const program = accounts[0]?.owner
        if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) return null
        return await transport.read(holdersRead(program, mint))
      } catch (error) {
        // Many nodes refuse to look through all accounts, or say too much at once.
        if (error instanceof NodeFailure) return null
        throw error
      }
    },
    holdings: async (address) => {
      const first = await look(transport, address)
      // A block may end between two items of a batch; once more is allowed.
      const { slots, native, held } =
        first.slots.size === 1 ? first : await look(transport, address)
      return { height: lowest(slots), native, tokens: together(held) }
    },
  }
}

/** Throws NodeFailure where a machine that stands before the slot misses one of them. */
async function whole(
  transport: Transport,
  addresses: readonly Address[],
  bytesMax: number,
  sinceSlot: bigint,
) {
  const reads: Promise<readonly ReturnType<typeof accountFrom>[]>[] = []
  for (let from = 0; from < addresses.length; from += ACCOUNTS_PER_READ_MAX) {
    const few = addresses.slice(from, from + ACCOUNTS_PER_READ_MAX)
    reads.push(transport.read(beginningsRead(few, bytesMax, sinceSlot)))
  }
  return (await Promise.all(reads)).flat()
}

function beginningsRead(
  addresses: readonly Address[],
  length: number,
  sinceSlot: bigint,
): Read<readonly ReturnType<typeof accountFrom>[]> {
  const dataSlice = { offset: 0, length }
  return {
    method: 'getMultipleAccounts',
    params: [addresses, { commitment: 'confirmed', encoding: 'base64', dataSlice }],
    parse: (result) => {
      const { slot, value } = contextFrom(result, 'accounts')
      const list = listFrom(value, 'accounts')
      if (list.length !== addresses.length) throw malformed('accounts', 'length')
      const accounts = list.map((each) => accountFrom(each, 0))
      if (slot < sinceSlot && accounts.includes(undefined)) {
        throw new NodeFailure(`the node is at slot ${slot}, before ${sinceSlot}`)
      }
      return accounts
    },
  }
}

/** How many owners have some of it, over all accounts of a token program. */
function holdersRead(program: Address, mint: Address): Read<bigint | null> {
  const filters = [
    ...(program === TOKEN_PROGRAM ? [{ dataSize: 165 }] : []),
    { memcmp: { offset: 0, bytes: mint, encoding: 'base58' } },
  ]
  return {
    // As much work as the token is popular.
    apart: true,
    method: 'getProgramAccounts',
    params: [program, { commitment: 'confirmed', encoding: 'base64', dataSlice: HOLDER, filters }],
    parse: (result) => {
      const owners = listFrom(result, 'program accounts').flatMap((each) => {
        const account = accountFrom(fieldsFrom(each, 'program account')['account'], 0)
        if (account?.data.length !== HOLDER.length) return []
        const data = Buffer.from(account.data)
        return data.readBigUInt64LE(OWNER_BYTES) === 0n
          ? []
          : [addressFromBytes(new Uint8Array(data.subarray(0, OWNER_BYTES)))]
      })
      return BigInt(new Set(owners).size)
    },
    meaning: () => null,
  }
}

interface Look {
  readonly slots: ReadonlySet<bigint>
  readonly native: bigint
  readonly held: readonly TokenHolding[]
}

async function look(transport: Transport, address: Address): Promise<Look> {
  const [balance, ...lists] = await Promise.all([
    transport.read(balanceRead(address)),
    transport.read(tokensRead(address, TOKEN_PROGRAM)),
    transport.read(tokensRead(address, TOKEN_2022_PROGRAM)),
  ])
  return {
    slots: new Set([balance.slot, ...lists.map(({ slot }) => slot)]),
    native: balance.native,
    held: lists.flatMap(({ held }) => held),
  }
}

function balanceRead(address: Address): Read<{ slot: bigint; native: bigint }> {
  return {
    method: 'getBalance',
    params: [address, { commitment: 'confirmed' }],
    parse: (result) => {
      const { slot, value } = contextFrom(result, 'balance')
      return { slot, native: integerFrom(value, 'balance') }
    },
  }
}

/** The node reads the accounts, since it knows the mints' decimals. */
function tokensRead(
  owner: Address,
  programId: Address,
): Read<{ slot: bigint; held: readonly TokenHolding[] }> {
  return {
    method: 'getTokenAccountsByOwner',
    params: [owner, { programId }, { commitment: 'confirmed', encoding: 'jsonParsed' }],
    parse: (result) => {
      const { slot, value } = contextFrom(result, 'token accounts')
      return { slot, held: listFrom(value, 'token accounts').map(holdingFrom) }
    },
  }
}

function holdingFrom(value: unknown): TokenHolding {
  const account = fieldsFrom(fieldsFrom(value, 'token account')['account'], 'account')
  const parsed = fieldsFrom(fieldsFrom(account['data'], "account's data")['parsed'], 'parsed data')
  const info = fieldsFrom(parsed['info'], 'token account')
  const amount = fieldsFrom(info['tokenAmount'], 'token amount')
  return {
    mint: addressFrom(info['mint'], 'mint'),
    decimals: indexFrom(amount['decimals'], 'decimals'),
    amount: amountFrom(textFrom(amount['amount'], 'amount'), 'amount'),
  }
}

/** Whoever has several accounts of one mint has their sum. Empty accounts are nothing held. */
function together(held: readonly TokenHolding[]): readonly TokenHolding[] {
  const sums = new Map<Address, TokenHolding>()
  for (const each of held) {
    const amount = (sums.get(each.mint)?.amount ?? 0n) + each.amount
    if (amount > 0n) sums.set(each.mint, { ...each, amount })
  }
  return [...sums.values()]
}

function lowest(slots: ReadonlySet<bigint>): bigint {
  return [...slots].reduce((low, slot) => (slot < low ? slot : low))
}
