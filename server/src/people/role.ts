import { ROLES } from '@florin/wire/role.ts'
import type { Role } from '@florin/wire/role.ts'

/** Whether the first role may everything that the other may. */
export function isAtLeast(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(other)
}

/** The lesser of two. */
export function lesserRole(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? other : one
}

/** Reads a role, else undefined. */
export function parseRole(text: string | null): Role | undefined {
  return ROLES.find((role) => role === text)
}
