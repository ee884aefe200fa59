import type { Scope } from './plan.ts'

/** What a member may do in an account; each role has everything of the ones before it. */
export const ROLES = ['viewer', 'developer', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** What a session may do by its role: the same words as the scopes of keys. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['read'],
  developer: ['read', 'write', 'settle', 'trade'],
  owner: ['read', 'write', 'settle', 'trade', 'admin'],
}
