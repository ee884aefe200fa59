import type { OperationReference } from './operation-reference.ts'

const event = {
  id: 'evt_9RtWzA3nD7Qm4uVb2xYpKe',
  type: 'payment',
  channel: 'payments',
  sequence: 41,
  data: {
    paymentId: 'pay_3nJ8vTq5ZcWm2XyRbE7hKd',
    type: 'sent',
    status: 'settled',
    network: 'eip155:84532',
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    amount: '2.5',
    amountBaseUnits: '2500000',
    sender: '0x8Ba1f109551bD432803012645Ac136ddd64DBA72',
    recipient: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    resource: 'https://shop.example/orders/1001',
    signature: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
    blockHeight: '34118217',
    failure: null,
  },
  timestamp: 1790000134000,
}

export const listEvents: OperationReference = {
  title: 'List events',
  about: [
    'What happened in your account, oldest first, for 30 days. `sequence` counts all events of the account: 1, 2, 3 and so on, without a gap.',
    'Read on with the `after` of `nextAfter`. When `hasMore` is false you have everything for now; ask again later with the same `after`, or open the WebSocket `/api/data` or `GET /events/stream`, which take it as well. An `after` that is unknown, or older than 30 days and not your newest event, is `INVALID_PARAMETERS`.',
  ],
  query: { after: 'evt_2xYpKe9RtWzA3nD7Qm4uVb', limit: 100 },
  answer: { events: [event], hasMore: false, nextAfter: event.id },
}

export const eventStream: OperationReference = {
  title: 'Stream events',
  about: [
    'The events of the account as [the list](#listEvents) has them, and of markets where `keys` names any, as server-sent events (`text/event-stream`): each block has the id of the event in `id`, its type in `event` and one JSON object in `data`. The answer has no end; it counts as a connection of the plan, with the sockets.',
    'A client that was cut off comes back with the header `Last-Event-ID`, as browsers do by themselves, or with `after`, and is told first what it missed. The first block of all is an `id` alone: where the stream stands.',
    'An `after` that is unknown, or older than 30 days and not your newest event, is `INVALID_PARAMETERS`; an address of somebody else in `keys` is `NOT_FOUND`.',
  ],
  query: { keys: 'payments', after: 'evt_2xYpKe9RtWzA3nD7Qm4uVb' },
  answer: event,
}

export const createEventTicket: OperationReference = {
  title: 'Get a ticket',
  about: [
    'A page in a browser cannot send a key with a WebSocket, and a key does not belong into an address. Your own server asks for a ticket and gives it to the page, which opens `/api/data?ticket=…` with it, within 30 seconds and once.',
  ],
  answer: { ticket: 'tkt_4vJ0m1Yw0d3kqL7sR2tXbNfPzAeHcUgViOpQwErTyUi', expiresAt: 1790000030000 },
}
