import Type from 'typebox'
import { Exactly } from './fields.ts'

/** GET /health/live: the process runs. */
export const Live = Exactly({
  status: Type.Literal('live'),
})

/** GET /health/ready: every part that payments need answers. Otherwise a NETWORK_ERROR whose details name the parts. */
export const Ready = Exactly({
  status: Type.Literal('ready'),
  parts: Type.Record(Type.String(), Type.Literal('ok')),
})
