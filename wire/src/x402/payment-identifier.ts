import { fieldsOf } from './fields.ts'
import type { Fields } from './fields.ts'

/** The extension by which a payer names what it pays for, so that it is paid once. */
export const PAYMENT_IDENTIFIER = 'payment-identifier'

const FORM = /^[a-zA-Z0-9_-]{16,128}$/

/**
 * The identifier that a payment carries; null where it carries none, undefined where what it carries is none. Source: x402 2.27,
 * payment-identifier.
 */
export function paymentIdentifierOf(extensions: Fields): string | null | undefined {
  const extension = fieldsOf(extensions[PAYMENT_IDENTIFIER])
  const id = fieldsOf(extension?.['info'])?.['id']
  if (id === undefined || id === null) return null
  return typeof id === 'string' && FORM.test(id) ? id : undefined
}
