const TRANSACTION_GAS = 21_000n
const FLOOR_GAS_PER_TOKEN = 10n
const TOKENS_PER_BYTE = 4
const STANDARD_GAS_PER_TOKEN = 4n

/** Offered for a token's call when the node cannot estimate it because the balance is short. */
export const TOKEN_CALL_GAS = 100_000n

/**
 * Gas of a plain transaction with call data to an address without code: 21 000, and for the data the larger of the
 * standard price and the floor. A zero byte is one token and any other four. Source: EIP-2028, EIP-7623.
 */
export function plainGas(data: Uint8Array): bigint {
  let tokens = 0
  // As numbers, which are exact here: a batch has 20 kB, and as big integers their sum takes 0.5 ms.
  for (const byte of data) tokens += byte === 0 ? 1 : TOKENS_PER_BYTE
  return TRANSACTION_GAS + BigInt(tokens) * FLOOR_GAS_PER_TOKEN
}

/**
 * Gas that a transaction's limit leaves its call, which is what whoever makes the same call has to give it: the limit without 21,000 and the standard
 * price of the data. 0 where nothing is left. Source: EIP-2028.
 */
export function callGas(transactionGas: bigint, data: Uint8Array): bigint {
  const tokens = (plainGas(data) - TRANSACTION_GAS) / FLOOR_GAS_PER_TOKEN
  const left = transactionGas - TRANSACTION_GAS - tokens * STANDARD_GAS_PER_TOKEN
  return left > 0n ? left : 0n
}

/** The gas limit for an estimate: what a plain transaction takes is exact, everything else may grow by a fifth. */
export function gasLimit(estimate: bigint, data: Uint8Array): bigint {
  return estimate <= plainGas(data) ? estimate : estimate + (estimate + 4n) / 5n
}
