import type { KeyFacts } from '@florin/server/access/store.ts'

/** A key as people and programs see it: everything but the key. Times in Unix milliseconds, null for never. */
export function keyView(facts: KeyFacts) {
  return {
    id: facts.keyId,
    name: facts.name,
    mode: facts.mode,
    plan: facts.plan,
    scopes: facts.scopes,
    lastFour: facts.lastFour,
    createdAt: facts.createdAtMilliseconds,
    lastUsedAt: facts.lastUsedAtMilliseconds,
    expiresAt: facts.expiresAtMilliseconds,
  }
}

/** A moment for people, to the minute, UTC. */
export function momentText(milliseconds: number | null): string {
  if (milliseconds === null) return 'never'
  return new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')
}
