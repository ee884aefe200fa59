import type { Florin } from '@florin/sdk'

/**
 * Whether a seller handed anything out. As the service has it: where money went, only 2xx is goods, and for anything else it shows the same payment
 * again.
 */
export function isDelivered({
  paid,
  response,
}: Pick<Awaited<ReturnType<Florin['payments']['fetch']>>, 'paid' | 'response'>): boolean {
  return response !== null && response.status < (paid === false ? 400 : 300)
}
