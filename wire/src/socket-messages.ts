import Type from 'typebox'
import { ERROR_CODES } from './errors.ts'
import { Exactly, Milliseconds, Said } from './fields.ts'
import { PLANS } from './plan.ts'

const timestamp = Said('When it was said, Unix milliseconds.', Milliseconds)
const keys = Type.Array(Type.String(), { description: 'In their one spelling.' })

/** What the service says on a socket beside events, by its type. */
export const serviceMessages = {
  authenticated: Exactly({
    type: Type.Literal('authenticated'),
    userId: Type.String({ description: 'The account.' }),
    plan: Type.Enum(PLANS, { description: 'Of the key.' }),
    timestamp,
  }),
  subscribed: Exactly({
    type: Type.Literal('subscribed'),
    keys,
    cursor: Said(
      'The event after which it goes on; null before the first one. Kept, it is an `after`.',
      Type.Union([Type.String(), Type.Null()]),
    ),
    timestamp,
  }),
  unsubscribed: Exactly({ type: Type.Literal('unsubscribed'), keys, timestamp }),
  pong: Exactly({ type: Type.Literal('pong'), timestamp }),
  error: Exactly({
    type: Type.Literal('error'),
    data: Exactly({
      code: Type.Enum(ERROR_CODES, { description: 'For programs; docs has a page for each.' }),
      message: Type.String({ description: 'For people.' }),
      details: Type.Optional(
        Type.Unsafe<object>({
          type: 'object',
          description: 'Each bad field and the rule it broke.',
        }),
      ),
      retryAfter: Type.Optional(Type.Integer({ minimum: 0, description: 'Seconds.' })),
      next: Type.String({ description: 'What to do about it.' }),
      docs: Type.String({ description: 'The page of the code.' }),
    }),
    timestamp,
  }),
} as const
