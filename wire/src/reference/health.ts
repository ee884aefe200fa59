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
    'A network is up as long as one of its nodes does well; `nodes` says which are read.',
  ],
  answer: {
    status: 'ready',
    parts: {
      database: 'ok',
      'eip155:84532': 'ok',
      'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': 'ok',
    },
    nodes: {
      'eip155:84532': [
        { node: 1, host: '*.node-one.example', state: 'ok' },
        { node: 2, host: '*.node-two.example', state: 'aside' },
      ],
      'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': [{ node: 1, host: '127.0.0.1:8899', state: 'ok' }],
    },
  },
}
