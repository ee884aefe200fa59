import { suspendedAccounts } from '../access/account-store.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { planForValues } from '../store/plan-for-values.ts'
import type { Tx } from '../store/postgres.ts'
import type { Accept, Listing, PaidListing } from './listing.ts'
import { mergeAccepts } from './merge-accepts.ts'

/** A listing as the catalogue has it. */
export interface Listed extends Listing {
  readonly accepts: readonly Accept[]
  readonly settledCount: number
  readonly listedAtMilliseconds: number
  readonly lastSettledAtMilliseconds: number
}

interface ListedRow {
  readonly resource: string
  readonly type: 'http' | 'mcp'
  readonly method: string
  readonly tool_name: string
  readonly x402_version: 1 | 2
  readonly description: string | null
  readonly mime_type: string | null
  readonly service_name: string | null
  readonly tags: readonly string[]
  readonly icon_url: string | null
  readonly bazaar: Listing['bazaar']
  readonly accepts: readonly Accept[]
  readonly settled_count: string
  readonly listed_at: Date
  readonly last_settled_at: Date
}

const COLUMNS = `resource, type, method, tool_name, x402_version, description, mime_type, service_name, tags, icon_url, bazaar,
  accepts, settled_count, listed_at, last_settled_at`

function listedOf(row: ListedRow): Listed {
  return {
    resource: row.resource,
    type: row.type,
    method: row.method,
    toolName: row.tool_name,
    x402Version: row.x402_version,
    description: row.description,
    mimeType: row.mime_type,
    serviceName: row.service_name,
    tags: row.tags,
    iconUrl: row.icon_url,
    bazaar: row.bazaar,
    accepts: row.accepts,
    settledCount: Number(row.settled_count),
    listedAtMilliseconds: row.listed_at.getTime(),
    lastSettledAtMilliseconds: row.last_settled_at.getTime(),
  }
}

/**
 * Lists what an account was paid for, or counts it once more. The newest words of the seller stand; those of version 1 never replace those
 * of version 2, which say more. Beyond the account's limit, what was settled longest ago makes room.
 */
export async function noteListing(
  tx: Tx,
  accountId: AccountId,
  listing: PaidListing,
  nowMilliseconds: number,
): Promise<void> {
  const { resource, type, method, toolName, x402Version } = listing
  const words = [
    ...[listing.serviceName, listing.description, toolName, ...listing.tags],
    // Parts of an address are words too.
    resource.replaceAll(/[^\p{L}\p{N}]+/gu, ' '),
  ]
  const said = [
    x402Version,
    listing.description,
    listing.mimeType,
    listing.serviceName,
    listing.tags,
    listing.iconUrl,
    JSON.stringify(listing.bazaar),
    JSON.stringify([listing.accept]),
    words.filter((word) => word !== null && word !== '').join(' '),
  ]
  const key = [accountId, resource, method, toolName]
  const [known] = await tx.query<Pick<ListedRow, 'accepts' | 'x402_version' | 'settled_count'>>(
    'catalogue_note',
    `insert into catalogue_resources as known (account_id, resource, method, tool_name, type, x402_version, description, mime_type,
       service_name, tags, icon_url, bazaar, accepts, words, settled_count, listed_at, last_settled_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 1, to_timestamp($15 / 1000.0), to_timestamp($15 / 1000.0))
     on conflict (account_id, resource, method, tool_name) do update set settled_count = known.settled_count + 1,
       last_settled_at = greatest(known.last_settled_at, excluded.last_settled_at)
     returning accepts, x402_version, settled_count`,
    [...key, type, ...said, nowMilliseconds],
  )
  if (known === undefined) throw new Error('a listing was neither made nor counted')
  if (known.settled_count === '1') return makeRoom(tx, accountId)
  if (x402Version < known.x402_version) return
  const before = x402Version > known.x402_version ? [] : known.accepts
  said[7] = JSON.stringify(mergeAccepts(before, listing.accept, limits.catalogueAcceptsMax))
  // Most settlements say what the last one said, and then write a count alone.
  await tx.query(
    'catalogue_say',
    `update catalogue_resources set x402_version = $5, description = $6, mime_type = $7, service_name = $8, tags = $9,
       icon_url = $10, bazaar = $11::text::json, accepts = $12, words = $13, type = $14
     where account_id = $1 and resource = $2 and method = $3 and tool_name = $4 and (
       (x402_version, description, mime_type, service_name, tags, icon_url, bazaar::text, accepts, words, type)
       is distinct from ($5, $6, $7, $8, $9, $10, $11::text, $12, $13, $14))`,
    [...key, ...said, type],
  )
}

/** Beyond the account's limit, what was settled longest ago goes. What somebody is settling at this moment is left for the next time. */
async function makeRoom(tx: Tx, accountId: AccountId): Promise<void> {
  await tx.query(
    'catalogue_trim',
    // What an offset passes over would be locked as well: so the lock is apart from it.
    `delete from catalogue_resources where id in (
       select id from catalogue_resources where id = any(array(
         select id from catalogue_resources where account_id = $1
         order by last_settled_at desc, id desc offset $2)) for update skip locked)`,
    [accountId, limits.catalogueResourcesPerAccountMax],
  )
}

/** What an account has listed, settled last first. */
export async function listingsOfAccount(tx: Tx, accountId: AccountId): Promise<readonly Listed[]> {
  const rows = await tx.query<ListedRow>(
    'catalogue_of_account',
    `select ${COLUMNS} from catalogue_resources where account_id = $1
     order by last_settled_at desc, id desc limit $2`,
    [accountId, limits.catalogueResourcesPerAccountMax],
  )
  return rows.map(listedOf)
}

/** Takes what an account has listed at an address out of the catalogue. Gives how many listings that were. */
export async function deleteListings(
  tx: Tx,
  accountId: AccountId,
  resource: string,
): Promise<number> {
  const rows = await tx.query(
    'catalogue_delete',
    'delete from catalogue_resources where account_id = $1 and resource = $2 returning id',
    [accountId, resource],
  )
  return rows.length
}

/** What is looked for in the whole catalogue. */
export interface Filter {
  readonly type: string | null
  /** Facts that one way to pay has together. */
  readonly accept: Partial<Pick<Accept, 'network' | 'scheme' | 'payTo'>>
  readonly limit: number
  readonly offset: number
}

/** What is found from an offset on, as far as a page goes: fewer than were found when they have too many bytes. */
export interface Page {
  readonly listed: readonly Listed[]
  /** How many there are from the offset on, up to the limit. */
  readonly found: number
}

/** What suspended accounts have listed is shown to nobody. */
const WANTED = `($1::text is null or type = $1) and ($2::jsonb is null or accepts @> $2::jsonb)
  and account_id <> all($3::text[])`

async function wantedOf(tx: Tx, { type, accept }: Pick<Filter, 'type' | 'accept'>) {
  await planForValues(tx)
  // What all of them have need not be read out of each.
  const ways = Object.keys(accept).length === 0 ? null : JSON.stringify([accept])
  return [type, ways, await suspendedAccounts(tx)]
}

/** Of rows in an order, the first ones that have so many bytes together, at least one; each with how many there are in all. */
function cutAt(rows: string, order: string, bytes: string): string {
  return `select ${COLUMNS}, found from (
     select *, count(*) over () as found, row_number() over (order by ${order}) as place,
       sum(octet_length(bazaar::text) + octet_length(accepts::text)) over (order by ${order}) as bytes
     from (${rows}) as rows) as counted
   where bytes <= ${bytes} or place = 1 order by place`
}

function pageOf(rows: readonly (ListedRow & { readonly found: string })[]): Page {
  return { listed: rows.map(listedOf), found: Number(rows[0]?.found ?? 0) }
}

/** A page of the catalogue of all accounts in the order in which things were first listed, so that pages do not shift. */
export async function listingsPage(
  tx: Tx,
  { limit, offset, ...filter }: Filter,
  bytesMax: number = limits.catalogueAnswerBytesMax,
): Promise<Page & { readonly total: number }> {
  const wanted = await wantedOf(tx, filter)
  const counted = await tx.query<{ total: string }>(
    'catalogue_count',
    `select count(*) as total from catalogue_resources where ${WANTED}`,
    wanted,
  )
  const rows = await tx.query<ListedRow & { readonly found: string }>(
    'catalogue_page',
    cutAt(
      `select * from catalogue_resources where ${WANTED} order by id limit $4 offset $5`,
      'id',
      '$6',
    ),
    [...wanted, limit, offset, bytesMax],
  )
  return { ...pageOf(rows), total: Number(counted[0]?.total ?? 0) }
}

/** Listings that have any of the words, those with more of them first. */
export async function searchListings(
  tx: Tx,
  query: string,
  { limit, offset, ...filter }: Filter,
): Promise<Page> {
  const rows = await tx.query<ListedRow & { readonly found: string }>(
    'catalogue_search',
    `with wanted as (select replace(plainto_tsquery('english', $6)::text, '&', '|')::tsquery as words)
     ${cutAt(
       `select r.*, ts_rank(document, wanted.words) as rank from catalogue_resources r, wanted
        where ${WANTED} and document @@ wanted.words
        order by rank desc, settled_count desc, id limit $4 offset $5`,
       'rank desc, settled_count desc, id',
       '$7',
     )}`,
    [...(await wantedOf(tx, filter)), limit, offset, query, limits.catalogueAnswerBytesMax],
  )
  return pageOf(rows)
}
