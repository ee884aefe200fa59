import type { Static } from 'typebox'
import { parseAmount } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { WalletPolicyBody } from '@florin/wire/wallet.ts'
import { addressRule } from '../chains/address-rule.ts'
import type { Chain } from '../chains/chain.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import type { Wallet } from '../custody/wallet.ts'
import { parseResourceRule } from '../policies/resource-rule.ts'
import { AMOUNT_RULES } from '../policies/rules.ts'
import type { AmountRule, AssetLimit, PolicyRules } from '../policies/rules.ts'

type Body = Static<typeof WalletPolicyBody>

/**
 * The rules that a caller means: networks, assets and addresses in their one spelling, amounts in base units. Refuses
 * INVALID_PARAMETERS naming the field, UNSUPPORTED_NETWORK and UNSUPPORTED_ASSET.
 */
export function readPolicyBody(directory: ChainDirectory, wallet: Wallet, body: Body): PolicyRules {
  const { chain } = directory.resolve({
    network: undefined,
    address: wallet.address,
    field: 'address',
  })
  const limits = (body.limits ?? []).map((entry, index) =>
    readLimit(directory, wallet, entry, `limits[${index}]`),
  )
  for (const [index, limit] of limits.entries()) {
    const first = limits.findIndex(
      ({ network, asset }) => network === limit.network && asset === limit.asset,
    )
    if (first !== index) {
      throw invalid(`limits[${index}].asset`, `has an entry already: limits[${first}]`)
    }
  }
  return {
    limits,
    recipients: unique(
      body.recipients?.map((text, index) => readRecipient(chain, text, `recipients[${index}]`)),
    ),
    resources: unique(
      body.resources?.map((text, index) => readResource(text, `resources[${index}]`)),
    ),
  }
}

function readLimit(
  directory: ChainDirectory,
  wallet: Wallet,
  entry: NonNullable<Body['limits']>[number],
  field: string,
): AssetLimit {
  const { chain } = directory.resolve({
    network: entry.network,
    address: wallet.address,
    field: `${field}.network`,
  })
  const { asset, decimals } = directory.asset(chain, entry.asset)
  const amounts: Partial<Record<AmountRule, bigint>> = {}
  for (const rule of AMOUNT_RULES) {
    const text = entry[rule]
    if (text === undefined) continue
    const parsed = parseAmount(text, decimals)
    if (!parsed.ok) {
      throw invalid(`${field}.${rule}`, `must be an amount of at most ${decimals} fraction digits`)
    }
    amounts[rule] = parsed.amount
  }
  return { network: chain.config.network, asset, decimals, ...amounts }
}

function readRecipient(chain: Chain, text: string, field: string): string {
  const address = chain.parseAddress(text)
  if (address === undefined) {
    throw invalid(field, addressRule(chain.config))
  }
  return address
}

function readResource(text: string, field: string): string {
  const rule = parseResourceRule(text)
  if (rule === undefined) {
    throw invalid(
      field,
      'must be an http or https URL without credentials, query, fragment or encoded slashes',
    )
  }
  return rule
}

function unique(entries: readonly string[] | undefined): readonly string[] | null {
  return entries === undefined ? null : [...new Set(entries)]
}

function invalid(field: string, rule: string): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details: { [field]: rule } })
}
