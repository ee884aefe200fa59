/** Where a request carries what says its amount. */
const METER = Symbol.for('@florin/sdk meter')

/**
 * Says in a handler what a visit cost that is paid by `upto`, in whole units of the asset: `setAmount(response, '0.03')`.
 * The first argument is the response of Express, the context of Hono, or the request or the reply of Fastify. The last call counts, and without any
 * the whole maximum is taken. Zero takes nothing.
 *
 * @returns whether it counts: false where the amount is not open, as for a visit that was paid by `exact`, or after the answer
 * @throws {FlorinError} INVALID_AMOUNT when it is more than the maximum, or no amount of the asset
 */
export function setAmount(carrier: object, amount: string | number): boolean {
  const meter: unknown = Reflect.get(carrier, METER)
  if (typeof meter !== 'function') return false
  const counts: unknown = Reflect.apply(meter, undefined, [amount])
  return counts !== false
}

/** Lets the handler of a request say its amount. */
export function carryMeter(
  carriers: readonly object[],
  meter: (amount: string | number) => boolean,
): void {
  for (const carrier of carriers) {
    Object.defineProperty(carrier, METER, { value: meter, configurable: true })
  }
}
