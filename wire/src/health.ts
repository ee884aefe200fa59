import Type from 'typebox'
import { Exactly, Milliseconds } from './fields.ts'

/** GET /health/live: the process runs. */
export const Live = Exactly({
  success: Type.Literal(true),
  status: Type.Literal('live'),
  timestamp: Milliseconds,
})

/** GET /health/ready: every part that payments need answers. Otherwise a NETWORK_ERROR whose details name the parts. */
export const Ready = Exactly({
  success: Type.Literal(true),
  status: Type.Literal('ready'),
  parts: Type.Record(Type.String(), Type.Literal('ok')),
  timestamp: Milliseconds,
})
