import Type from 'typebox'
import { catalogue } from './errors.ts'
import type { ErrorCode } from './errors.ts'
import { Exactly, Milliseconds } from './fields.ts'

const codes = Object.keys(catalogue).filter((code): code is ErrorCode => code in catalogue)

/** The one shape of every error answer. `details` of a validation error maps each bad field to the rule it broke. */
export const ErrorBody = Exactly({
  success: Type.Literal(false),
  error: Exactly({
    code: Type.Enum(codes),
    message: Type.String(),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    retryAfter: Type.Optional(Type.Integer({ minimum: 0, description: 'Seconds.' })),
    requestId: Type.String(),
    docs: Type.String(),
  }),
  timestamp: Milliseconds,
})
