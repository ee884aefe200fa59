import Type from 'typebox'
import { ERROR_CODES } from './errors.ts'
import { Exactly, Milliseconds, Said } from './fields.ts'

/** The one shape of every error answer. `details` of a validation error maps each bad field to the rule it broke. */
export const ErrorBody = Exactly({
  success: Type.Literal(false),
  error: Exactly({
    code: Type.Enum(ERROR_CODES, { description: 'What to act on.' }),
    message: Type.String({ description: 'For people; it may change.' }),
    details: Type.Optional(
      Said(
        'Facts of this refusal; of a validation error, each bad field and the rule it broke.',
        Type.Record(Type.String(), Type.Unknown()),
      ),
    ),
    retryAfter: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Seconds to wait; on 409, 429 and 503 only.' }),
    ),
    requestId: Type.String({ description: 'The same as in the header X-Request-Id.' }),
    docs: Type.String({ description: 'The page of this code.' }),
  }),
  timestamp: Milliseconds,
})
