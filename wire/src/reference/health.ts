import type { OperationReference } from './operation-reference.ts'

export const healthLive: OperationReference = {
  title: 'Check that it lives',
  about: ['Asks nothing but the process itself. For the probe that restarts it.'],
  answer: { status: 'live' },
}

export const healthReady: OperationReference = {
  title: 'Check that it is ready',
  about: [
    'Asks the database and every enabled network. For the probe that takes an instance out of a load balancer.',
    'When a part does not answer, this is a 503 `NETWORK_ERROR` whose `details` name every part as `ok` or `down`.',
  ],
  answer: {
    status: 'ready',
    parts: {
      database: 'ok',
      'eip155:84532': 'ok',
      'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': 'ok',
    },
  },
}
