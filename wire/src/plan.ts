/** What an account has bought. Each plan has everything of the ones before it. */
export const PLANS = ['standard', 'premium', 'enterprise'] as const
export type Plan = (typeof PLANS)[number]

/** What a key may do. A key has any set of them. */
export const SCOPES = ['read', 'write', 'settle', 'trade', 'admin'] as const
export type Scope = (typeof SCOPES)[number]
