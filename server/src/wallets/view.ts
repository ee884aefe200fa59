import { formatAmount } from '@florin/wire/amount.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { Wallet } from '../custody/wallet.ts'
import { AMOUNT_RULES } from '../policies/rules.ts'
import type { PolicyRules } from '../policies/rules.ts'
import type { Budget } from './budgets.ts'
import type { Holding, OtherName } from './holdings.ts'

/** What a caller may see of a wallet: nothing of its keys. */
export function walletFacts(wallet: Wallet) {
  return {
    walletId: wallet.id,
    address: wallet.address,
    family: wallet.family,
    label: wallet.label,
    createdAt: wallet.createdAtMilliseconds,
    ...(wallet.sandboxInstance === null ? {} : { sandbox: true as const }),
  }
}

/** One asset of one network, each figure as a number and as base units. */
export function holdingFacts(holding: Holding) {
  const { network, height, alsoAs } = holding
  return {
    network,
    ...figures(holding),
    height: Number(height),
    ...(alsoAs.length === 0 ? {} : { alsoAs: alsoAs.map(figures) }),
  }
}

function figures({ asset, symbol, decimals, amount, held, available }: OtherName) {
  return {
    asset,
    symbol,
    decimals,
    amount: exact(amount, decimals),
    amountBaseUnits: amount.toString(),
    held: exact(held, decimals),
    heldBaseUnits: held.toString(),
    available: exact(available, decimals),
    availableBaseUnits: available.toString(),
  }
}

/** A policy in whole units, null when the wallet has none. */
export function policyFacts(rules: PolicyRules | undefined) {
  if (rules === undefined) return null
  return {
    limits: rules.limits.map((limit) => ({
      network: limit.network,
      asset: limit.asset,
      ...Object.fromEntries(
        AMOUNT_RULES.flatMap((rule) => {
          const units = limit[rule]
          return units === undefined ? [] : [[rule, exact(units, limit.decimals)]]
        }),
      ),
    })),
    recipients: rules.recipients === null ? null : [...rules.recipients],
    resources: rules.resources === null ? null : [...rules.resources],
  }
}

/** One limit over time and what is taken of it, each figure as a number and as base units. */
export function budgetFacts(budget: Budget) {
  const { network, asset, decimals, rule, windowSeconds, allowed, spent, held, left } = budget
  return {
    network,
    asset,
    rule,
    windowSeconds,
    allowed: exact(allowed, decimals),
    allowedBaseUnits: allowed.toString(),
    spent: exact(spent, decimals),
    spentBaseUnits: spent.toString(),
    held: exact(held, decimals),
    heldBaseUnits: held.toString(),
    left: exact(left, decimals),
    leftBaseUnits: left.toString(),
  }
}

function exact(units: bigint, decimals: number): RawJson {
  return new RawJson(formatAmount(units, decimals))
}
