import Type from 'typebox'
import { Exactly, Milliseconds, Nullable, Said, SentObject } from './fields.ts'

const ENTRIES_MAX = 100
const ENTRIES_DEFAULT = 50
const Text = (description: string) => Type.String({ description })

/** One change: who did what to which thing, from where. */
export const AuditEntry = Exactly({
  auditId: Text('Name of the entry: aud_ and 22 characters.'),
  at: Milliseconds,
  actor: Type.Enum(['member', 'key', 'system'], { description: 'What kind of actor it was.' }),
  actorId: Said('The member or the key; null for the service itself.', Nullable(Type.String())),
  actorName: Said('What it was called then; null when that was nothing.', Nullable(Type.String())),
  action: Text('What was done, such as `key.created`.'),
  object: Said('The thing that it was done to.', Nullable(Type.String())),
  address: Said('From which address; null for the service itself.', Nullable(Type.String())),
  requestId: Said('The request; null for the service itself.', Nullable(Type.String())),
  details: Said('More about it, never a secret.', SentObject),
})

/** The query of GET /audit. */
export const AuditQuery = Exactly({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: ENTRIES_MAX,
      default: ENTRIES_DEFAULT,
      description: 'How many at most.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: '`nextCursor` of the page before.' }),
  ),
})

/** The answer of GET /audit: newest first. */
export const AuditList = Exactly({
  entries: Type.Array(AuditEntry),
  nextCursor: Said('For the next page; null on the last.', Nullable(Type.String())),
})
