import Type from 'typebox'
import { Exactly, Milliseconds, Nullable, Said, SentMilliseconds } from './fields.ts'
import { PLANS, SCOPES } from './plan.ts'

const OVERLAP_SECONDS_MAX = 7 * 86_400
const Text = (description: string) => Type.String({ description })

const Scopes = Type.Array(Type.Enum(SCOPES), {
  minItems: 1,
  maxItems: SCOPES.length,
  description:
    'What it may do; no scope includes another. A session gives no scope that its role has not.',
})
const Name = Type.String({ minLength: 1, maxLength: 100, description: 'What the key is for.' })

const key = {
  keyId: Text('Name of the key: key_ and 22 characters. Not the key itself.'),
  name: Text('What the key is for.'),
  lastFour: Text('The end of the key, by which people tell their keys apart.'),
  mode: Type.Enum(['live', 'test'], { description: '`test` in a sandbox.' }),
  plan: Type.Enum(PLANS, { description: 'The plan that it has.' }),
  scopes: Type.Array(Type.Enum(SCOPES), { description: 'What it may do.' }),
  createdAt: Milliseconds,
  lastUsedAt: Said('Null when never; to the minute.', Nullable(Milliseconds)),
  expiresAt: Said('Null: never.', Nullable(Milliseconds)),
}

/** A key without the key. */
export const Key = Exactly(key)

/** The answer of GET /keys: those that were not deleted, oldest first. */
export const KeyList = Exactly({
  keys: Type.Array(Key),
  liveMax: Type.Integer({ description: 'How many an account may have at once.' }),
})

/** POST /keys. */
export const CreateKeyBody = Exactly({
  name: Name,
  scopes: Scopes,
  expiresAt: Type.Optional(Said('When it ends; left out, never.', SentMilliseconds)),
})

const shownOnce = Said(
  'The key. Shown this once; null when the request was repeated under its idempotency key.',
  Nullable(Type.String()),
)

/** The answer of it. */
export const CreatedKey = Exactly({ ...key, key: shownOnce })

/** POST /keys/{keyId}/rotate. */
export const RotateKeyBody = Exactly({
  previousValidSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: OVERLAP_SECONDS_MAX,
      description: 'When the old key ends: 0 for at once; left out, when it is deleted.',
    }),
  ),
})

/** The answer of it: the new key, and what became of the old one. */
export const RotatedKey = Exactly({ ...key, key: shownOnce, previous: Key })

export const KeyPath = Exactly({
  keyId: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'A key of the account: key_ and 22 characters.',
  }),
})
export const KeyDeleted = Exactly({
  keyId: Text('Name of the key that was.'),
  deletedAt: Milliseconds,
})
