import Type from 'typebox'
import { Exactly } from './fields.ts'

/** GET /health/live: the process runs. */
export const Live = Exactly({
  status: Type.Literal('live'),
})

/** One configured node of a network. Its address is the operator's own affair; of its host only the end is shown. */
export const NodeHealth = Exactly({
  node: Type.Integer({ minimum: 1, description: 'Its place in the configuration.' }),
  host: Type.String({ description: 'Which host; of a longer name the last two labels.' }),
  state: Type.Enum(['ok', 'aside', 'behind'], {
    description: '`ok` is read; `aside` failed or was slow; `behind` lags behind another node.',
  }),
})

/** GET /health/ready: every part that payments need answers. Otherwise a NETWORK_ERROR whose details name the parts. */
export const Ready = Exactly({
  status: Type.Literal('ready'),
  parts: Type.Record(Type.String(), Type.Literal('ok')),
  nodes: Type.Record(Type.String(), Type.Array(NodeHealth), {
    description: 'The nodes of each network.',
  }),
})
