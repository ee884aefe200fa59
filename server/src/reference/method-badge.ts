import { markup } from './markup.ts'
import type { Html } from './markup.ts'

export function methodBadge(method: string): Html {
  const short = method === 'DELETE' ? 'DEL' : method
  return markup`<span class="method ${method.toLowerCase()}">${short}</span>`
}
