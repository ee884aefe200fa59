import type { Fields } from '@florin/wire/x402/fields.ts'

/** A way to pay for a resource. */
export interface Accept {
  /** CAIP-2. */
  readonly network: string
  readonly scheme: string
  readonly asset: string
  readonly payTo: string
  /** Base units, decimal text. */
  readonly amount: string
  /** The same as the seller wrote it, in the words of its version. */
  readonly requirement: Fields
}

/** What a seller offers at one address, as it asks for it to be found. Source: x402, the extension `bazaar`. */
export interface Listing {
  /** Origin and path, or origin and template of the path. */
  readonly resource: string
  readonly type: 'http' | 'mcp'
  /** Empty where none is named. */
  readonly method: string
  /** Empty for what is no tool of an MCP server. */
  readonly toolName: string
  readonly x402Version: 1 | 2
  readonly description: string | null
  readonly mimeType: string | null
  readonly serviceName: string | null
  readonly tags: readonly string[]
  readonly iconUrl: string | null
  /** `info` and `schema`, and `routeTemplate` where there is one. */
  readonly bazaar: Fields
}

/** A listing with how it was paid for. */
export interface PaidListing extends Listing {
  readonly accept: Accept
}

/** Why an offer is not listed. */
export type RejectedReason =
  | 'invalid_resource_url'
  | 'resource_not_public'
  | 'invalid_extension'
  | 'invalid_schema'
  | 'schema_mismatch'
  | 'too_large'

export type ReadListing =
  | { readonly kind: 'none' }
  | { readonly kind: 'rejected'; readonly reason: RejectedReason }
  | { readonly kind: 'listing'; readonly listing: Listing }
